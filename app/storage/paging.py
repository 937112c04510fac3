"""Pages of a listing, newest first; a cursor names the last row of the page before."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from sqlalchemy import ColumnElement, Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.errors import CursorInvalid, Rejected
from ml.errors import Fault

CursorQuery = Annotated[
    str | None,
    Query(
        max_length=80, description="`next_cursor` of the previous page; omit it for the first page."
    ),
]
_DEFAULT_LIMIT = 50
_MOMENT = "%Y%m%dT%H%M%S.%f"
_CURSOR = re.compile(r"(\d{8}T\d{6}\.\d{6})-([0-9a-f]{1,32})", re.ASCII)

_Moment = InstrumentedAttribute[datetime]
_Key = InstrumentedAttribute[str]


def _read_limit(
    request: Request,
    limit: Annotated[
        int | None, Query(ge=1, description="Maximum number of items per page.")
    ] = None,
) -> int:
    most: int = request.app.state.settings.page_limit
    if limit is not None and limit > most:
        fault = Fault("query.limit", f"is {limit}; at most {most} items per page are allowed")
        raise Rejected("The requested page is too long.", [fault])
    return min(_DEFAULT_LIMIT, most) if limit is None else limit


LimitQuery = Annotated[int, Depends(_read_limit)]


def fetch_page(
    session: Session,
    query: Select[Any],
    columns: tuple[_Moment, _Key],
    limit: int,
    cursor: str | None,
) -> tuple[list[Any], str | None]:
    """Return up to ``limit`` rows of ``query``, newest first, and the cursor of the next page.

    ``columns`` are the creation time and the key of a row; both must be columns of the rows.
    Raises: CursorInvalid.
    """
    moment, key = columns
    query = query.order_by(moment.desc(), key.desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(_older_than(columns, cursor))
    rows = list(session.scalars(query))
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1]
    return rows[:limit], _make_cursor(getattr(last, moment.key), getattr(last, key.key))


def _make_cursor(moment: datetime, key: str) -> str:
    return f"{moment.astimezone(UTC):{_MOMENT}}-{key}"


def _older_than(columns: tuple[_Moment, _Key], cursor: str) -> ColumnElement[bool]:
    parts = _CURSOR.fullmatch(cursor)
    try:
        moment = datetime.strptime(parts[1] if parts else "", _MOMENT).replace(tzinfo=UTC)
    except ValueError:
        raise CursorInvalid(
            "The cursor is invalid. Use `next_cursor` of an earlier page."
        ) from None
    return tuple_(*columns) < tuple_(moment, parts[2] if parts else "")
