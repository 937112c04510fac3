"""Chooses how job ids reach workers: through the configured broker, or by polling."""

from app.jobs.dispatch import Dispatcher, PolledTable
from app.settings import Settings


def choose_dispatcher(settings: Settings) -> Dispatcher:
    """Return the dispatcher of job ids; Celery is imported only if a broker is configured."""
    if not settings.broker_url:
        return PolledTable()
    from app.worker.celery_app import CeleryDispatcher, make_celery

    return CeleryDispatcher(make_celery(settings))
