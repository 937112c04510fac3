"""GET /jobs, GET and DELETE /jobs/{id}, GET /jobs/{id}/events."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response, status
from starlette.concurrency import run_in_threadpool

from app.jobs import service
from app.jobs.schemas import JobDetailOut, JobOut, JobPage
from app.jobs.states import ENDED, JobState
from app.jobs.streams import EventStreamResponse, JobStreamsDep
from app.jobs.workers import explain_wait
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.paging import CursorQuery, LimitQuery
from app.storage.tables import JobRow

router = APIRouter(prefix="/jobs", tags=["jobs"])
_LastEvent = Annotated[
    int,
    Header(
        alias="Last-Event-ID",
        ge=0,
        lt=2**31,
        description="The last event you have; 0 or none sends all from the first.",
        examples=[3],
    ),
]
_STREAM = """id: 1
event: state
data: {"state": "queued", "attempt": 0, "cancel_requested": false}

id: 2
event: state
data: {"state": "running", "attempt": 1, "cancel_requested": false}

id: 3
event: progress
data: {"epoch": 120, "train_loss": 0.41, "validation_loss": 0.52, "epochs": 300}

id: 4
event: end
data: {"state": "succeeded", "result": {"model_id": "9d6b..."}, "error": null}
"""


@router.get("")
def list_jobs(
    session: ReadingSession,
    limit: LimitQuery,
    cursor: CursorQuery = None,
    state: JobState | None = None,
    graph_id: Annotated[str | None, Query(max_length=32)] = None,
) -> JobPage:
    """List jobs, newest first."""
    rows, next_cursor = service.list_jobs(session, limit, cursor, state, graph_id)
    stored = service.list_stored_models(session, rows)
    return JobPage(items=[JobOut.from_row(row, stored) for row in rows], next_cursor=next_cursor)


@router.get("/{job_id}")
def get_job(job_id: str, session: ReadingSession, request: Request) -> JobDetailOut:
    """Show where a job stands, its curves so far and what it was asked to do."""
    row = service.get_job(session, job_id)
    patience: float = request.app.state.settings.lease_seconds
    stored = service.list_stored_models(session, [row])
    return JobDetailOut.from_row(row, stored, explain_wait(session, row, patience))


@router.get(
    "/{job_id}/events",
    status_code=status.HTTP_200_OK,
    response_class=EventStreamResponse,
    responses={
        200: {
            "description": "Events until the job ends.",
            "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _STREAM}},
        },
        204: {"description": "The job has ended and you have every event: do not come back."},
    },
)
async def stream_events(
    job_id: str, database: DatabaseDep, streams: JobStreamsDep, last_event_id: _LastEvent = 0
) -> Response:
    """Send what happens to a job as server-sent events: `state`, `progress` and `end`.

    Event ids count the events of the job. Come back with the last one you have as
    `Last-Event-ID`, as browsers do by themselves, and nothing is lost or sent twice.
    """
    row = await run_in_threadpool(_read_job, database, job_id)
    if row.state in ENDED and last_event_id >= row.event_count:
        return Response(status_code=status.HTTP_204_NO_CONTENT)
    return EventStreamResponse(streams, streams.open(job_id, last_event_id))


@router.delete("/{job_id}", responses={202: {"model": JobOut}})
def cancel_job(job_id: str, session: WritingSession, response: Response) -> JobOut:
    """Cancel a job: 200 if it waited and has ended, 202 if its worker was asked to stop."""
    row = service.cancel_job(session, job_id)
    if row.state == JobState.RUNNING:
        response.status_code = status.HTTP_202_ACCEPTED
    return JobOut.from_row(row)


def _read_job(database: Database, job_id: str) -> JobRow:
    with database.reading() as session:
        return service.get_job(session, job_id)
