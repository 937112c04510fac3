"""GET /sweeps, GET and DELETE /sweeps/{id}; `POST /train` starts a sweep."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response, status

from app.jobs.states import JobState
from app.storage.db import ReadingSession, WritingSession
from app.storage.graph_names import read_graph
from app.storage.paging import CursorQuery, LimitQuery
from app.sweeps import service
from app.sweeps.schemas import SweepDetailOut, SweepOut, SweepPage

router = APIRouter(prefix="/sweeps", tags=["sweeps"])

SweepId = Annotated[str, Path(description="Id of the sweep.")]


@router.get("", summary="List sweeps")
def list_sweeps(
    session: ReadingSession,
    limit: LimitQuery,
    graph_id: Annotated[str | None, Depends(read_graph("Only sweeps on this grid."))],
    cursor: CursorQuery = None,
) -> SweepPage:
    """Lists sweeps, newest first, with their progress and the best settings so far."""
    summaries, next_cursor = service.list_sweeps(session, graph_id, limit, cursor)
    items = [SweepOut.from_summary(summary) for summary in summaries]
    return SweepPage(items=items, next_cursor=next_cursor)


@router.get("/{sweep_id}", summary="Show the progress and results of a sweep")
def get_sweep(sweep_id: SweepId, session: ReadingSession) -> SweepDetailOut:
    """Returns the progress of a sweep, the best settings so far, every result and plot data."""
    return SweepDetailOut.from_summary(service.get_sweep(session, sweep_id))


@router.delete(
    "/{sweep_id}",
    responses={202: {"model": SweepOut, "description": "Running jobs are being stopped."}},
    summary="Cancel a sweep",
)
def cancel_sweep(sweep_id: SweepId, session: WritingSession, response: Response) -> SweepOut:
    """Cancels all unfinished jobs of a sweep.

    Answers 200 if no job was running; 202 if running jobs still have to stop.
    """
    summary = service.cancel_sweep(session, sweep_id)
    if summary.state == JobState.RUNNING:
        response.status_code = status.HTTP_202_ACCEPTED
    return SweepOut.from_summary(summary)
