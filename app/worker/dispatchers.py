"""Which way job ids go: through the broker of the settings, or by polling without one."""

from app.jobs.dispatch import Dispatcher, PolledTable
from app.settings import Settings


def choose_dispatcher(settings: Settings) -> Dispatcher:
    """Return who delivers job ids; Celery is imported only if there is a broker."""
    if not settings.broker_url:
        return PolledTable()
    from app.worker.celery_app import CeleryDispatcher, make_celery

    return CeleryDispatcher(make_celery(settings))
