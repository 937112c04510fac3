"""Grids by name: the newest version of the grid with this name, wherever a request names one."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated

from fastapi import Query
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import GraphNotFound, Rejected
from app.storage.db import ReadingSession
from app.storage.tables import GraphRow
from ml.errors import Fault

LOCAL_OWNER = "local"
"""The owner of all grids until there are keys."""
_MOST_COMPARED = 1000
_MOST_SUGGESTED = 3
_MOST_CHARACTERS = 200


def find_named(session: Session, name: str) -> GraphRow | None:
    """Return the newest version of the grid with this name, without its arrays."""
    query = select(GraphRow).where(GraphRow.owner == LOCAL_OWNER, GraphRow.name == name)
    return session.scalars(query.order_by(GraphRow.version.desc()).limit(1)).first()


def get_named(session: Session, name: str) -> GraphRow:
    """Return the newest version of the grid with this name.

    Raises: GraphNotFound, which suggests similar names.
    """
    row = find_named(session, name)
    if row is None:
        close = get_close_matches(name, _list_names(session), n=_MOST_SUGGESTED)
        raise GraphNotFound(f"There is no grid with the name {name!r}.", close)
    return row


def list_numbered(session: Session, name: str) -> set[str]:
    """Return the names in use that begin with this one."""
    query = select(GraphRow.name).where(
        GraphRow.owner == LOCAL_OWNER, GraphRow.name.startswith(name, autoescape=True)
    )
    return set(session.scalars(query.distinct()))


def resolve_graph(session: Session, graph_id: str | None, name: str | None) -> str | None:
    """Return the id of the grid that a request names by id, by name or by both; None by neither.

    Raises: GraphNotFound for an unknown name, Rejected if id and name are of different grids.
    """
    if name is None:
        return graph_id
    newest = get_named(session, name).id
    if graph_id not in (None, newest):
        problem = f"{name!r} is the grid {newest!r}, but graph_id is {graph_id!r}"
        raise Rejected(
            "`graph` and `graph_id` name different grids; send one of them.",
            [Fault("graph", problem)],
        )
    return newest


def read_graph(description: str) -> Callable[..., str | None]:
    """Make the dependency that reads `graph_id` or `graph` from a query and returns an id."""

    def read(
        session: ReadingSession,
        graph_id: Annotated[str | None, Query(max_length=64, description=description)] = None,
        graph: Annotated[
            str | None,
            Query(
                max_length=_MOST_CHARACTERS,
                description="Name of the grid instead of `graph_id`: its newest version.",
                examples=["case118"],
            ),
        ] = None,
    ) -> str | None:
        return resolve_graph(session, graph_id, graph)

    return read


def _list_names(session: Session) -> list[str]:
    query = select(GraphRow.name).where(GraphRow.owner == LOCAL_OWNER)
    newest = query.order_by(GraphRow.created_at.desc()).limit(_MOST_COMPARED)
    return list(dict.fromkeys(session.scalars(newest)))
