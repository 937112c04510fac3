"""The embedded worker: a process that polls the table; reaping is part of the poll."""

import signal
import sys
import threading

import structlog

from app.jobs.dispatch import PolledTable
from app.logs import configure_logs
from app.settings import Settings
from app.storage.retry import DATABASE_AWAY, back_off, tell_outage
from app.worker.context import WorkerContext
from app.worker.heartbeat import presence
from app.worker.run import reap_lost_jobs, run_next
from app.worker.signals import stop_on_signals
from app.worker.startup import WorkOrder, open_worker
from ml.compute.child_process import die_with_parent

_log = structlog.get_logger("levygrid.worker")


def work(settings: Settings, order: WorkOrder) -> int:
    """Run jobs until SIGTERM or SIGINT; the jobs at hand are handed back. Raises: StartFailed."""
    stop = threading.Event()
    stop_on_signals(stop, signal.SIGTERM, signal.SIGINT)
    worker = open_worker(settings, PolledTable(), order, stop)
    with presence(worker):
        _log.info("worker started", worker=worker.name, queues=worker.queues)
        _poll_together(worker)
    worker.database.close()
    _log.info("worker stopped", worker=worker.name)
    return 0


def _poll_together(worker: WorkerContext) -> None:
    """Poll by as many threads as jobs may run at the same time."""
    others = [
        threading.Thread(target=poll_until_stopped, args=(worker,))
        for _ in range(worker.concurrency - 1)
    ]
    for other in others:
        other.start()
    poll_until_stopped(worker)
    for other in others:
        other.join()


def poll_until_stopped(worker: WorkerContext) -> None:
    """Look for jobs, run them one after the other, wait while there are none."""
    waits = back_off()
    while not worker.stop.is_set():
        try:
            reap_lost_jobs(worker)
            pause = 0.0 if run_next(worker) else worker.settings.poll_seconds
            waits = back_off()
        except DATABASE_AWAY as error:
            _log.warning("database away", reason=tell_outage(error))
            pause = next(waits)
        except Exception:  # noqa: BLE001 - a thread that ends would take its slot along
            _log.exception("polling failed")
            pause = next(waits)
        worker.stop.wait(pause)


def main(parent: str) -> int:
    """Run as a child of ``levygrid serve`` and stop when it is gone."""
    die_with_parent(int(parent), signal.SIGTERM)
    settings = Settings()
    configure_logs(settings.log_level)
    return work(settings, WorkOrder())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
