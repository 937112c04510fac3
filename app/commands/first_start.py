"""First start: loads IEEE 118 and queues a first training job in a separate process."""

import os
import signal
import subprocess
import sys

import structlog
from sqlalchemy.orm import Session

from app.graphs.service import list_graphs, store_grid
from app.ingest.cases.pandapower_process import read_case
from app.jobs.service import list_jobs
from app.logs import configure_logs
from app.settings import Settings
from app.storage.db import Database
from app.train.schemas import TrainIn
from app.train.service import enqueue_training
from app.worker.dispatchers import choose_dispatcher
from app.worker.process import child_command, child_environment
from ml import die_with_parent

CASE = "case118"
_log = structlog.get_logger("levygrid.worker")


def is_empty(database: Database) -> bool:
    """Return whether the database has neither grids nor jobs."""
    with database.reading() as session:
        return _is_empty(session)


def start_loading(settings: Settings) -> subprocess.Popen[bytes]:
    """Start the process that loads the case and queues its job, so that the API need not wait."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        child_command("app.commands.first_start"),
        env=child_environment(settings, threads=1),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def stop_loading(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and the reader process that it may have started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def load_first_grid(settings: Settings, database: Database) -> None:
    """Store the case and queue a training job, in one transaction, if the database is empty."""
    read = read_case(CASE)
    with database.writing() as session:
        if not _is_empty(session):
            return
        graph, _ = store_grid(session, read)
        job = enqueue_training(session, TrainIn(graph_id=graph.id))
    choose_dispatcher(settings).dispatch(job)
    _log.info("first training job queued", grid=CASE, graph=graph.id, job=job.id)


def _is_empty(session: Session) -> bool:
    graphs, _ = list_graphs(session, 1, None)
    jobs, _ = list_jobs(session, 1, None)
    return not graphs and not jobs


def main(parent: str) -> int:
    """Run as a child process of ``levygrid serve``."""
    die_with_parent(int(parent), signal.SIGKILL)
    settings = Settings()
    configure_logs(settings.log_level)
    load_first_grid(settings, Database(settings.resolved_database_url))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
