"""What a dispatcher does when its broker takes connections and answers no more."""

import threading

from app.settings import Settings
from app.storage.tables import JobRow
from app.worker.celery_app import CeleryDispatcher, make_celery
from tests.muted import relay_to

_PATIENCE = 60.0


def dispatch_into_silence(broker_url: str, port: int) -> list[bool]:
    """Dispatch a job, mute the broker, dispatch again and by a new dispatcher.

    ``broker_url`` has ``{port}`` for the port. Answers that do not come in time are missing.
    """
    job = JobRow(id="job", priority=0, queue="cpu")
    answers: list[bool] = []
    with relay_to(port) as relay:
        settings = Settings(broker_url=broker_url.format(port=relay.port))
        connected, fresh = (CeleryDispatcher(make_celery(settings)) for _ in range(2))
        answers.append(connected.dispatch(job))
        relay.mute()

        def dispatch() -> None:
            answers.extend(each.dispatch(job) for each in (connected, fresh))

        waiting = threading.Thread(target=dispatch, daemon=True)
        waiting.start()
        waiting.join(_PATIENCE)
        return list(answers)
