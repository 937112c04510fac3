"""GET /jobs, GET and DELETE /jobs/{id}, GET /jobs/{id}/events."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response, status
from starlette.concurrency import run_in_threadpool

from app.jobs import service
from app.jobs.schemas import JobDetailOut, JobOut, JobPage
from app.jobs.states import ENDED, JobState
from app.jobs.streams import EventStreamResponse, JobStreamsDep
from app.jobs.workers import explain_wait
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.graph_names import read_graph
from app.storage.paging import CursorQuery, LimitQuery
from app.storage.tables import JobRow

router = APIRouter(prefix="/jobs", tags=["jobs"])
_LastEvent = Annotated[
    int,
    Header(
        alias="Last-Event-ID",
        ge=0,
        lt=2**31,
        description="Number of the last event you received; omit it, or send 0, for all events.",
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


@router.get("", summary="List jobs")
def list_jobs(
    session: ReadingSession,
    limit: LimitQuery,
    graph_id: Annotated[str | None, Depends(read_graph("Only jobs of this grid."))],
    cursor: CursorQuery = None,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
) -> JobPage:
    """Returns a page of jobs, newest first; filter them by state and grid."""
    rows, next_cursor = service.list_jobs(session, limit, cursor, state, graph_id)
    stored = service.list_stored_models(session, rows)
    return JobPage(items=[JobOut.from_row(row, stored) for row in rows], next_cursor=next_cursor)


@router.get("/{job_id}", summary="Show the state and progress of a job")
def get_job(job_id: str, session: ReadingSession, request: Request) -> JobDetailOut:
    """Returns the state and progress of a job, its learning curves so far and its request."""
    row = service.get_job(session, job_id)
    lease_seconds: float = request.app.state.settings.lease_seconds
    stored = service.list_stored_models(session, [row])
    return JobDetailOut.from_row(row, stored, explain_wait(session, row, lease_seconds))


@router.get(
    "/{job_id}/events",
    summary="Stream the events of a job",
    status_code=status.HTTP_200_OK,
    response_class=EventStreamResponse,
    responses={
        200: {
            "description": "Server-sent events until the job ends.",
            "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _STREAM}},
        },
        204: {
            "description": "The job has ended and you have received every event; do not reconnect."
        },
    },
)
async def stream_events(
    job_id: str, database: DatabaseDep, streams: JobStreamsDep, last_event_id: _LastEvent = 0
) -> Response:
    """Sends the events of a job as server-sent events: `state`, `progress` and `end`.

    Event ids number the events of the job. After a lost connection, send the last id that you
    received as `Last-Event-ID` (browsers do so automatically): no event is lost or repeated.
    """
    row = await run_in_threadpool(_read_job, database, job_id)
    if row.state in ENDED and last_event_id >= row.event_count:
        return Response(status_code=status.HTTP_204_NO_CONTENT)
    return EventStreamResponse(streams, streams.open(job_id, last_event_id))


@router.delete(
    "/{job_id}",
    summary="Cancel a job",
    responses={202: {"model": JobOut, "description": "The worker was asked to stop."}},
)
def cancel_job(job_id: str, session: WritingSession, response: Response) -> JobOut:
    """Answers 200 if the job was queued and has ended, 202 if its worker was asked to stop."""
    row = service.cancel_job(session, job_id)
    if row.state == JobState.RUNNING:
        response.status_code = status.HTTP_202_ACCEPTED
    return JobOut.from_row(row)


def _read_job(database: Database, job_id: str) -> JobRow:
    with database.reading() as session:
        return service.get_job(session, job_id)
