from datetime import UTC, datetime, timedelta

from app.jobs.repository import idempotency_keys
from app.storage.db import Database
from app.storage.tables import IdempotencyKeyRow

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def make_row(key: str, created_at: datetime = NOW) -> IdempotencyKeyRow:
    return IdempotencyKeyRow(key=key, fingerprint="0" * 64, answer={}, created_at=created_at)


def test_a_key_is_inserted_once(database: Database) -> None:
    with database.writing() as session:
        assert idempotency_keys.insert_key(session, make_row("once"))
    with database.writing() as session:
        assert not idempotency_keys.insert_key(session, make_row("once"))
        # The refused insert leaves the transaction usable.
        assert idempotency_keys.find_key(session, "once") is not None


def test_expired_keys_are_deleted_and_valid_ones_stay(database: Database) -> None:
    with database.writing() as session:
        for key, age in (("old", 3 * HOUR), ("older", 5 * HOUR), ("valid", HOUR)):
            assert idempotency_keys.insert_key(session, make_row(key, NOW - age))
    with database.writing() as session:
        idempotency_keys.delete_expired_keys(session, "old", NOW - 2 * HOUR)
    with database.reading() as session:
        present = [
            key
            for key in ("old", "older", "valid")
            if idempotency_keys.find_key(session, key) is not None
        ]
    assert present == ["valid"]
