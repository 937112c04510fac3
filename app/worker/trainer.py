"""The process that carries out one job: a fresh interpreter, so that torch may be used."""

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from app.worker.process import die_with_parent


def main(job_id: str, attempt: str, parent: str) -> int:
    """Carry out one attempt of a job; its outcome is in the table, not in the exit code."""
    die_with_parent(int(parent), signal.SIGKILL)
    stop = threading.Event()
    _on_terminate(stop.set)
    # Imported late: the two lines above must not wait for it.
    from app.worker.attempt import carry_out

    return carry_out(job_id, int(attempt), stop)


def _on_terminate(act: Callable[[], None]) -> None:
    def handle(_signal: int, _frame: FrameType | None) -> None:
        act()

    signal.signal(signal.SIGTERM, handle)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
