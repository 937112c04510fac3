"""Column types and the declarative base that all tables share."""

from datetime import UTC, datetime

from sqlalchemy import JSON, DateTime, Dialect, MetaData, String, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase

Json = JSON().with_variant(JSONB(), "postgresql")
Id = String(32)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC, also on SQLite, which does not store time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store every moment as UTC."""
        del dialect
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Restore the time zone where the database dropped it."""
        del dialect
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    """Base of all tables; constraints are named so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        list[str]: Json,
        datetime: UtcDateTime(),
    }
