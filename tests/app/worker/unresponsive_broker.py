"""Dispatches jobs to a broker that accepts connections but no longer replies."""

import threading

from app.settings import Settings
from app.storage.tables import JobRow
from app.worker.celery_app import CeleryDispatcher, make_celery
from tests.relay import relay_to

_TIMEOUT_SECONDS = 60.0


def dispatch_to_unresponsive_broker(broker_url: str, port: int) -> list[bool]:
    """Dispatch a job, mute the broker, then dispatch with the same and with a new dispatcher.

    ``broker_url`` contains ``{port}``. Returns the results that arrived in time.
    """
    job = JobRow(id="job", priority=0, queue="cpu")
    answers: list[bool] = []
    with relay_to(port) as relay:
        settings = Settings(broker_url=broker_url.format(port=relay.port))
        connected, fresh = (CeleryDispatcher(make_celery(settings)) for _ in range(2))
        answers.append(connected.dispatch(job))
        relay.mute()

        def dispatch() -> None:
            answers.extend(dispatcher.dispatch(job) for dispatcher in (connected, fresh))

        waiting = threading.Thread(target=dispatch, daemon=True)
        waiting.start()
        waiting.join(_TIMEOUT_SECONDS)
        return list(answers)
