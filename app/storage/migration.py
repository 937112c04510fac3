"""Migrates a database to the newest schema and checks whether it has that schema."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import SQLAlchemyError

from app.errors import DatabaseUnusable
from app.storage.db import Database

_MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


def upgrade(database_url: str) -> None:
    """Create or migrate every table; safe to call from several processes at once.

    Raises: DatabaseUnusable.
    """
    config = _make_config()
    config.attributes["database_url"] = database_url
    try:
        command.upgrade(config, "head")
    except SQLAlchemyError as error:
        raise DatabaseUnusable(
            "The database cannot be reached or migrated. Check LEVYGRID_DATABASE_URL."
        ) from error


def is_current(database: Database) -> bool:
    """Return whether the database has the newest schema. Raises: DatabaseUnusable."""
    newest = set(ScriptDirectory.from_config(_make_config()).get_heads())
    try:
        with database.engine.connect() as connection:
            present = set(MigrationContext.configure(connection).get_current_heads())
    except SQLAlchemyError as error:
        raise DatabaseUnusable(
            "The database cannot be reached. Check LEVYGRID_DATABASE_URL."
        ) from error
    return present == newest


def _make_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config
