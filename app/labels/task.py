"""Jobs of the kinds ``labels`` and ``suitability``: compute a label set, or measure one."""

from sqlalchemy.orm import Session

from app.graphs.service import find_label_set, get_label_set, load_grid
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.contingencies import N1_EXPOSURE, label_demand_lost, label_exposure
from app.labels.service import SUITABILITY, store_label_set, store_suitability
from app.labels.suitability import judge_suitability
from app.settings import Settings
from app.storage.documents import JobProgress, JobResult
from app.storage.tables import JobRow

_DONE: JobProgress = {"done": 1, "total": 1}


def run(job: JobRow, handle: JobHandle, _settings: Settings) -> None:
    """Carry out a job and store its result together with the end of the job."""
    if job.kind == SUITABILITY:
        _measure_suitability(job, handle)
    else:
        _compute_label_set(job, handle)


def _compute_label_set(job: JobRow, handle: JobHandle) -> None:
    graph_id, kind = job.payload["graph_id"], job.payload["kind"]

    def read(session: Session) -> tuple[Grid, LabelSet | None]:
        return load_grid(session, graph_id), find_label_set(session, graph_id, "bus_type")

    def on_step(done: int, total: int) -> None:
        handle.check_stop(done)
        handle.report(lambda: {"done": done, "total": total})

    def store(session: Session) -> JobResult:
        store_label_set(session, graph_id, label_set)
        return {"graph_id": graph_id, "label": label_set.name}

    grid, bus_types = handle.read(read)
    if kind == N1_EXPOSURE:
        label_set = label_exposure(grid, bus_types, on_step)
    else:
        label_set = label_demand_lost(grid, on_step)
    handle.succeed(_DONE, store)


def _measure_suitability(job: JobRow, handle: JobHandle) -> None:
    graph_id, name = job.payload["graph_id"], job.payload["label"]

    def read(session: Session) -> tuple[Grid, LabelSet]:
        return load_grid(session, graph_id), get_label_set(session, graph_id, name)

    def store(session: Session) -> JobResult:
        store_suitability(session, graph_id, name, report)
        return {"graph_id": graph_id, "label": name}

    report = judge_suitability(*handle.read(read))
    handle.succeed(_DONE, store)
