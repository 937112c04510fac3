"""Delivers job ids through Celery: its configuration and its dispatcher."""

from typing import Any

import structlog
from celery import Celery
from kombu.exceptions import ChannelError, OperationalError

from app.jobs.queues import Queue
from app.jobs.service import HIGHEST_PRIORITY
from app.settings import Settings
from app.storage.tables import JobRow

TASK_NAME = "levygrid.run_job"
QUEUE_NAMES = {Queue.CPU: "levygrid", Queue.GPU: "levygrid-gpu"}
LONGER_THAN_ANY_JOB = 30 * 24 * 3600
"""Redelivery time-out of the broker in seconds: the lease decides about lost jobs, not it."""
_ANSWER_SECONDS = 3
"""Time-out after which a broker that accepts connections but does not reply counts as away."""

_log = structlog.get_logger("levygrid.worker")


def make_celery(settings: Settings) -> Celery:
    """Return the Celery application of the configured broker, without connecting to it."""
    app = Celery("levygrid", broker=settings.broker_url, set_as_current=False)
    queue_arguments = {
        "x-max-priority": HIGHEST_PRIORITY,
        "x-consumer-timeout": LONGER_THAN_ANY_JOB * 1000,
    }
    app.conf.update(
        accept_content=["json"],
        broker_connection_max_retries=None,
        broker_connection_retry_on_startup=True,
        broker_connection_timeout=_ANSWER_SECONDS,
        broker_transport_options=_transport_options(settings),
        task_acks_late=True,
        task_default_queue=QUEUE_NAMES[Queue.CPU],
        task_ignore_result=True,
        task_queues={name: {"queue_arguments": queue_arguments} for name in QUEUE_NAMES.values()},
        task_reject_on_worker_lost=True,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_prefetch_multiplier=1,
        worker_redirect_stdouts=False,
    )
    return app


class CeleryDispatcher:
    """Sends job ids through the broker; the reaper resends those whose message was lost."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._redis = _is_redis(app.conf.broker_url)

    def dispatch(self, job: JobRow) -> bool:
        """Send the id of a job. On failure log the reason: the job stays queued in the table."""
        try:
            self._app.send_task(
                TASK_NAME,
                args=[job.id],
                queue=QUEUE_NAMES[Queue(job.queue)],
                # Redis serves priority 0 first, RabbitMQ 9; in our table 9 is the highest.
                priority=HIGHEST_PRIORITY - job.priority if self._redis else job.priority,
                confirm_timeout=_ANSWER_SECONDS,
                retry_policy={"max_retries": 1, "interval_start": 0},
            )
        except OperationalError as error:
            _log.warning("broker unreachable, the job stays queued", job=job.id, reason=str(error))
            return False
        return True

    def find_empty_queues(self) -> list[Queue]:
        """Return the queues without a message in the broker. Raises: OperationalError."""
        with self._app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1)
            return [queue for queue, name in QUEUE_NAMES.items() if _is_empty(connection, name)]


def _is_empty(connection: Any, name: str) -> bool:
    try:
        with connection.channel() as channel:  # RabbitMQ closes it if the queue does not exist
            waiting = channel.queue_declare(name, passive=True)
    except ChannelError:  # a queue without messages does not exist in Redis
        return True
    except connection.connection_errors as error:
        raise OperationalError(str(error)) from error
    return int(waiting.message_count) == 0


def _transport_options(settings: Settings) -> dict[str, str | int | float | list[int]]:
    if not _is_redis(settings.broker_url):
        return {"confirm_publish": True}
    return {
        "priority_steps": list(range(HIGHEST_PRIORITY + 1)),
        "queue_order_strategy": "priority",
        "socket_connect_timeout": _ANSWER_SECONDS,
        "socket_keepalive": True,
        "socket_timeout": _ANSWER_SECONDS,
        "visibility_timeout": LONGER_THAN_ANY_JOB,
    }


def _is_redis(url: str) -> bool:
    return url.startswith(("redis", "valkey", "sentinel"))
