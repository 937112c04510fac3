"""Sets an event when a signal arrives, safely at any moment."""

import signal
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import FrameType


def stop_on_signals(stop: threading.Event, *numbers: signal.Signals) -> None:
    """Set the event when one of the signals arrives."""
    request_stop = make_setter(stop)

    def handle(_signal: int, _frame: FrameType | None) -> None:
        request_stop()

    for number in numbers:
        signal.signal(number, handle)


def make_setter(event: threading.Event) -> Callable[[], None]:
    """Return a function that sets the event and may be called from a signal handler.

    ``Event.set`` takes a lock. If the interrupted thread holds it, because it is just beginning
    or ending a wait, the process would hang for ever. Putting into a SimpleQueue needs no lock;
    a thread then sets the event.
    """
    requests: SimpleQueue[None] = SimpleQueue()

    def set_on_request() -> None:
        requests.get()
        event.set()

    threading.Thread(target=set_on_request, name="stop", daemon=True).start()
    return lambda: requests.put(None)
