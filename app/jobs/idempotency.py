"""Idempotency keys: a client may repeat a request without creating its jobs twice."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.errors import IdempotencyKeyReused
from app.jobs.repository import idempotency_keys as repository
from app.storage.db import current_time
from app.storage.documents import AnswerDocument
from app.storage.tables import IdempotencyKeyRow
from ml.errors import Fault

HEADER = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A request with an idempotency key, which is remembered for ``seconds``."""

    key: str
    fingerprint: str
    seconds: float


def fingerprint_request(path: str, body: Any) -> str:
    """Return a hash that is equal only for requests with equal path and body."""
    text = json.dumps([path, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def find_answer(session: Session, request: KeyedRequest) -> AnswerDocument | None:
    """Return the stored response to an earlier request with this key, if there is one.

    Raises: IdempotencyKeyReused if that request was a different one.
    """
    row = repository.find_key(session, request.key)
    if row is None or row.created_at < _oldest_valid(session, request):
        return None
    if row.fingerprint != request.fingerprint:
        fault = Fault(f"header.{HEADER}", "was used before with a different body or path")
        raise IdempotencyKeyReused(
            "An idempotency key identifies one request. Use a new key for a new request.", [fault]
        )
    return row.answer


def take_key(session: Session, request: KeyedRequest) -> IdempotencyKeyRow | None:
    """Store the key, so that the response can be added in the same transaction.

    Returns None if the key is taken. Of two simultaneous requests the second waits here for
    the end of the first.
    """
    repository.delete_expired_keys(session, request.key, _oldest_valid(session, request))
    row = IdempotencyKeyRow(
        key=request.key,
        fingerprint=request.fingerprint,
        answer={},
        created_at=current_time(session),
    )
    return row if repository.insert_key(session, row) else None


def _oldest_valid(session: Session, request: KeyedRequest) -> datetime:
    return current_time(session) - timedelta(seconds=request.seconds)
