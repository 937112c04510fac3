"""The process that carries out one job: a fresh interpreter, so that torch may be used."""

import signal
import sys
import threading

from app.worker.signals import stop_on_signals
from ml.compute.child_process import die_with_parent


def main(job_id: str, attempt: str, parent: str) -> int:
    """Carry out one attempt of a job; its outcome is in the table, not in the exit code."""
    die_with_parent(int(parent), signal.SIGKILL)
    stop = threading.Event()
    stop_on_signals(stop, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Imported late: the lines above must not wait for it.
    from app.worker.attempt import carry_out

    return carry_out(job_id, int(attempt), stop)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
