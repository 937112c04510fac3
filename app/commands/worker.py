"""``levygrid worker``: runs jobs of a service on this or another machine."""

from app.errors import DatabaseUnusable
from app.logs import configure_logs
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import is_current
from app.worker.startup import WorkerOptions


def run_worker(settings: Settings, options: WorkerOptions) -> int:
    """Run jobs until SIGINT or SIGTERM; return the exit code. Raises: StartFailed."""
    configure_logs(settings.log_level)
    _require_schema(settings)
    if settings.broker_url:
        from app.worker import celery_worker

        return celery_worker.work(settings, options)
    from app.worker import local

    return local.work(settings, options)


def _require_schema(settings: Settings) -> None:
    database = Database(settings.resolved_database_url)
    current = is_current(database)
    database.close()
    if not current:
        raise DatabaseUnusable(
            "The database does not have the newest schema. Run `levygrid migrate`."
        )
