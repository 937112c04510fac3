"""What a worker does with a job of kind ``labels``: compute a long label set and store it."""

from typing import Any

from sqlalchemy.orm import Session

from app.graphs.service import load_grid
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.contingencies import N1_EXPOSURE, label_demand_lost, label_exposure
from app.labels.service import find_label_set, store_label_set
from app.settings import Settings
from app.storage.tables import JobRow


def run(job: JobRow, handle: JobHandle, _settings: Settings) -> None:
    """Compute the label set that the job names and store it with the end of the job."""
    graph_id, kind = str(job.payload["graph_id"]), str(job.payload["kind"])

    def read(session: Session) -> tuple[Grid, LabelSet | None]:
        return load_grid(session, graph_id), find_label_set(session, graph_id, "bus_type")

    def on_step(done: int, total: int) -> None:
        handle.check_stop(done)
        handle.report(lambda: {"done": done, "total": total})

    def store(session: Session) -> dict[str, Any]:
        store_label_set(session, graph_id, label_set)
        return {"graph_id": graph_id, "label": label_set.name}

    grid, bus_types = handle.read(read)
    if kind == N1_EXPOSURE:
        label_set = label_exposure(grid, bus_types, on_step)
    else:
        label_set = label_demand_lost(grid, on_step)
    handle.succeed({"done": 1, "total": 1}, store)
