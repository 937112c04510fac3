"""Being told to stop by a signal, at any moment whatever."""

import signal
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import FrameType


def stop_on_signals(stop: threading.Event, *numbers: signal.Signals) -> None:
    """Set the event when one of the signals comes."""
    ask = make_setter(stop)

    def handle(_signal: int, _frame: FrameType | None) -> None:
        ask()

    for number in numbers:
        signal.signal(number, handle)


def make_setter(event: threading.Event) -> Callable[[], None]:
    """Return what a signal handler may call to set the event.

    ``Event.set`` itself takes a lock, which the interrupted thread holds while it begins or ends
    a wait: then the process hangs for ever. A simple queue needs none; a thread passes it on.
    """
    asked: SimpleQueue[None] = SimpleQueue()

    def pass_on() -> None:
        asked.get()
        event.set()

    threading.Thread(target=pass_on, name="stop", daemon=True).start()
    return lambda: asked.put(None)
