"""GET /sweeps, GET and DELETE /sweeps/{id}; `POST /train` starts one."""

from typing import Annotated

from fastapi import APIRouter, Query, Response, status

from app.jobs.states import JobState
from app.storage.db import ReadingSession, WritingSession
from app.storage.paging import CursorQuery, LimitQuery
from app.sweeps import service
from app.sweeps.reports import SweepDetailOut, SweepOut, SweepPage

router = APIRouter(prefix="/sweeps", tags=["sweeps"])


@router.get("")
def list_sweeps(
    session: ReadingSession,
    limit: LimitQuery,
    cursor: CursorQuery = None,
    graph_id: Annotated[str | None, Query(max_length=32)] = None,
) -> SweepPage:
    """List sweeps, newest first, with how far they are and the best so far."""
    summaries, next_cursor = service.list_sweeps(session, graph_id, limit, cursor)
    items = [SweepOut.from_summary(summary) for summary in summaries]
    return SweepPage(items=items, next_cursor=next_cursor)


@router.get("/{sweep_id}")
def get_sweep(sweep_id: str, session: ReadingSession) -> SweepDetailOut:
    """Show how far a sweep is, the best settings so far, every result and what to plot."""
    return SweepDetailOut.from_summary(service.get_sweep(session, sweep_id))


@router.delete("/{sweep_id}", responses={202: {"model": SweepOut}})
def cancel_sweep(sweep_id: str, session: WritingSession, response: Response) -> SweepOut:
    """Cancel all jobs that have not ended: 200 if none was running, else 202."""
    summary = service.cancel_sweep(session, sweep_id)
    if summary.state == JobState.RUNNING:
        response.status_code = status.HTTP_202_ACCEPTED
    return SweepOut.from_summary(summary)
