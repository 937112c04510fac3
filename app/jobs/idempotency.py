"""Keys by which a client repeats a request without repeating its job."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.errors import IdempotencyKeyReused
from app.storage.db import current_time
from app.storage.tables import IdempotencyKeyRow
from ml.errors import Fault

HEADER = "Idempotency-Key"
_MOST_PRUNED = 1000


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A key, what was asked for under it, and how long that is remembered."""

    key: str
    fingerprint: str
    seconds: float


def fingerprint_request(path: str, body: Any) -> str:
    """Return a hash that two requests share only if they ask for the same."""
    text = json.dumps([path, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def find_answer(session: Session, request: KeyedRequest) -> dict[str, Any] | None:
    """Return what this request was answered before.

    Raises: IdempotencyKeyReused if its key came with another request.
    """
    row = session.get(IdempotencyKeyRow, request.key, populate_existing=True)
    if row is None or row.created_at < current_time(session) - _lifetime(request):
        return None
    if row.fingerprint != request.fingerprint:
        fault = Fault(f"header.{HEADER}", "was sent before with another body or address")
        raise IdempotencyKeyReused("A key stands for one request only.", [fault])
    return row.answer


def take_key(session: Session, request: KeyedRequest) -> IdempotencyKeyRow | None:
    """Store the key, for the answer to be added in the same transaction; None if it is taken.

    Of two simultaneous requests the second waits here for the end of the first.
    """
    _forget_expired(session, request)
    row = IdempotencyKeyRow(
        key=request.key,
        fingerprint=request.fingerprint,
        answer={},
        created_at=current_time(session),
    )
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return None
    return row


def _forget_expired(session: Session, request: KeyedRequest) -> None:
    """Delete the key itself if it is too old, and others that nobody else deletes just now."""
    limit = current_time(session) - _lifetime(request)
    expired = IdempotencyKeyRow.created_at < limit
    session.execute(delete(IdempotencyKeyRow).where(IdempotencyKeyRow.key == request.key, expired))
    others = (
        select(IdempotencyKeyRow.key)
        .where(expired)
        .limit(_MOST_PRUNED)
        .with_for_update(skip_locked=True)
    )
    session.execute(delete(IdempotencyKeyRow).where(IdempotencyKeyRow.key.in_(others)))


def _lifetime(request: KeyedRequest) -> timedelta:
    return timedelta(seconds=request.seconds)
