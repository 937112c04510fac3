"""How Alembic connects: the address of the settings, or the one a caller has given."""

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context
from alembic.autogenerate.api import AutogenContext

from app.settings import Settings
from app.storage.columns import UtcDateTime
from app.storage.db import Database
from app.storage.tables import GraphRow

_UPGRADE_LOCK = 0x6C657679
"""Any fixed number: whoever holds this advisory lock of Postgres migrates."""


def _render_type(kind: str, item: Any, _autogenerate: AutogenContext) -> str | Literal[False]:
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, sa.JSON):
        return 'sa.JSON().with_variant(sa.dialects.postgresql.JSONB(), "postgresql")'
    return False


def _database_url() -> str:
    given: str | None = context.config.attributes.get("database_url")
    return given or _default_url()


def _default_url() -> str:
    settings = Settings()
    if not settings.database_url:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    return settings.resolved_database_url


def _migrate() -> None:
    database = Database(_database_url())
    writer = database.engine.execution_options(writing=True)
    try:
        with writer.connect() as connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
            context.configure(
                connection=connection,
                target_metadata=GraphRow.metadata,
                render_as_batch=True,
                render_item=_render_type,
                transactional_ddl=True,
            )
            context.run_migrations()
    finally:
        database.close()


_migrate()
