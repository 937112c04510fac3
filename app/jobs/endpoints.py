"""GET /jobs, GET and DELETE /jobs/{id}."""

from typing import Annotated

from fastapi import APIRouter, Query, Response, status

from app.db import ReadingSession, WritingSession
from app.jobs import service
from app.jobs.schemas import JobDetailOut, JobOut, JobPage
from app.jobs.states import JobState
from app.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/jobs", tags=["jobs"])


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
    return JobPage(items=[JobOut.from_row(row) for row in rows], next_cursor=next_cursor)


@router.get("/{job_id}")
def get_job(job_id: str, session: ReadingSession) -> JobDetailOut:
    """Show where a job stands, its curves so far and what it was asked to do."""
    return JobDetailOut.from_row(service.get_job(session, job_id))


@router.delete("/{job_id}", responses={202: {"model": JobOut}})
def cancel_job(job_id: str, session: WritingSession, response: Response) -> JobOut:
    """Cancel a job: 200 if it waited and has ended, 202 if its worker was asked to stop."""
    row = service.cancel_job(session, job_id)
    if row.state == JobState.RUNNING:
        response.status_code = status.HTTP_202_ACCEPTED
    return JobOut.from_row(row)
