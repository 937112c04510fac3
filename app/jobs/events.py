"""Builds the event of a change of a job; the same transaction stores change and event.

The sequence number of an event is the event count of its job, which the statement that changes
the job increments: numbers are unique and without gaps, and a reader that sees an event has seen
all earlier ones.
"""

from typing import Literal

from app.jobs.states import ENDED
from app.storage.documents import JobProgress, StateEvent
from app.storage.tables import JobEventRow, JobRow

EventKind = Literal["state", "progress", "end"]
EVENT_COLUMNS = frozenset({"state", "progress", "cancel_requested"})
"""Columns of a job whose changes are events."""


def make_event(job: JobRow, *, progressed: bool) -> JobEventRow:
    """Return the event of the last change of a job."""
    kind: EventKind = "state"
    data: StateEvent | JobProgress
    if job.state in ENDED:
        kind = "end"
        data = StateEvent(state=job.state, result=job.result, error=job.error)
    elif progressed:
        kind = "progress"
        data = _drop_curves(job.progress)
    else:
        data = StateEvent(
            state=job.state, attempt=job.attempt, cancel_requested=job.cancel_requested
        )
    return JobEventRow(job_id=job.id, sequence=job.event_count, kind=kind, data=data)


def _drop_curves(progress: JobProgress) -> JobProgress:
    """Return the progress without curves and tables, which ``GET /jobs/{id}`` returns in full."""
    data = progress.copy()
    data.pop("curves", None)
    data.pop("baselines", None)
    return data
