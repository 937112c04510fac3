"""Rows of the graphs table and of the label sets that come with a grid."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.jobs.states import UNFINISHED
from app.storage.paging import fetch_page
from app.storage.tables import GraphRow, JobRow, LabelRow


def insert_graph(session: Session, row: GraphRow, labels: Sequence[LabelRow]) -> bool:
    """Add a grid and its label sets; False if somebody else has just added the same."""
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
            session.add_all(labels)
    except IntegrityError:
        return False
    return True


def find_graph(session: Session, graph_id: str) -> GraphRow | None:
    """Return a grid without its arrays."""
    return session.get(GraphRow, graph_id)


def find_graph_by_hash(session: Session, content_hash: str) -> GraphRow | None:
    """Return the grid of this content."""
    return session.scalar(select(GraphRow).where(GraphRow.content_hash == content_hash))


def find_arrays(session: Session, graph_id: str) -> bytes | None:
    """Return the packed columns of a grid."""
    return session.scalar(select(GraphRow.arrays).where(GraphRow.id == graph_id))


def find_newest_version(session: Session, family: str) -> int:
    """Return the highest version of a family; nobody else adds one until the transaction ends."""
    query = select(GraphRow.version).where(GraphRow.family == family).with_for_update()
    return max(session.scalars(query).all(), default=0)


def list_family(session: Session, family: str) -> Sequence[GraphRow]:
    """Return all versions of a grid, the oldest first."""
    query = select(GraphRow).where(GraphRow.family == family).order_by(GraphRow.version)
    return session.scalars(query).all()


def list_labels(session: Session, graph_id: str) -> Sequence[LabelRow]:
    """Return the label sets of a grid without their classes, by name."""
    query = select(LabelRow).where(LabelRow.graph_id == graph_id).order_by(LabelRow.name)
    return session.scalars(query).all()


def graph_exists(session: Session, graph_id: str) -> bool:
    """Look for a grid by its key alone."""
    return session.scalar(select(GraphRow.id).where(GraphRow.id == graph_id)) is not None


def list_graphs(
    session: Session, limit: int, cursor: str | None
) -> tuple[list[GraphRow], str | None]:
    """Return a page of grids, newest first."""
    columns = (GraphRow.created_at, GraphRow.id)
    return fetch_page(session, select(GraphRow), columns, limit, cursor)


def lock_graph(session: Session, graph_id: str) -> bool:
    """Keep others from starting work on a grid until the transaction ends; False if absent."""
    query = select(GraphRow.id).where(GraphRow.id == graph_id).with_for_update()
    return session.scalar(query) is not None


def list_unfinished_jobs(session: Session, graph_id: str) -> Sequence[str]:
    """Return the ids of the jobs that wait for or work on a grid, the oldest first."""
    query = select(JobRow.id).where(JobRow.graph_id == graph_id, JobRow.state.in_(UNFINISHED))
    return session.scalars(query.order_by(JobRow.created_at, JobRow.id)).all()


def delete_graph(session: Session, graph_id: str) -> None:
    """Remove a grid; the database removes its label sets, models and predictions."""
    session.execute(delete(GraphRow).where(GraphRow.id == graph_id))
