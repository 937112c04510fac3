"""How the work of a job talks to its row: progress, checkpoints, the end."""

import threading
import time
from collections.abc import Callable
from typing import Any

import structlog
from sqlalchemy.orm import Session

from app.jobs import service
from app.jobs.states import Claim
from app.storage.db import Database
from app.storage.retry import (
    DATABASE_AWAY,
    Answer,
    read_patiently,
    tell_outage,
    write_patiently,
)
from app.storage.tables import CheckpointRow
from ml.errors import TrainingInterrupted

_REPORT_SECONDS = 0.5
_REPORTED_FRACTION = 1 / 3600
"""Of the time that a job has taken: reports of a long job are rarer, and so are its events."""
_log = structlog.get_logger("levygrid.jobs")


class JobDesk:
    """One claimed job, as the task that carries it out sees it.

    Every write is fenced: LeaseLost ends a task whose job another worker has taken over.
    Progress and checkpoints are let go while the database is away; the end is not.
    """

    def __init__(
        self, database: Database, claim: Claim, checkpoint_seconds: float, stop: threading.Event
    ) -> None:
        self._database = database
        self._claim = claim
        self._checkpoint_seconds = checkpoint_seconds
        self._stop = stop
        self._reported_at = 0.0
        self._begun_at = self._saved_at = time.monotonic()

    def read(self, operation: Callable[[Session], Answer]) -> Answer:
        """Read from the database, waiting for it if it is away."""
        return read_patiently(self._database, operation)

    def find_checkpoint(self) -> CheckpointRow | None:
        """Return the state an earlier attempt left, if any."""
        return self.read(lambda session: service.find_checkpoint(session, self._claim.job_id))

    def report(self, describe: Callable[[], dict[str, Any]]) -> None:
        """Store the progress, at most twice a second."""
        elapsed = time.monotonic() - self._begun_at
        pause = max(_REPORT_SECONDS, _REPORTED_FRACTION * elapsed)
        if time.monotonic() - self._reported_at < pause:
            return
        self._reported_at = time.monotonic()
        progress = describe()
        self._try_to_write(lambda session: service.report_progress(session, self._claim, progress))

    def is_checkpoint_due(self) -> bool:
        """Tell whether to save now: time is up, or the worker stops."""
        elapsed = time.monotonic() - self._saved_at
        return self._stop.is_set() or elapsed >= self._checkpoint_seconds

    def save_checkpoint(self, epoch: int, content: bytes) -> None:
        """Store what a later attempt goes on from.

        Raises: TrainingInterrupted, once stored, if the worker stops.
        """
        self._saved_at = time.monotonic()
        self._try_to_write(
            lambda session: service.save_checkpoint(session, self._claim, epoch, content)
        )
        if self._stop.is_set():
            raise TrainingInterrupted(epoch)

    def check_stop(self, epoch: int) -> None:
        """Let the job go if the worker stops. Raises: TrainingInterrupted."""
        if self._stop.is_set():
            raise TrainingInterrupted(epoch)

    def succeed(self, progress: dict[str, Any], store: Callable[[Session], dict[str, Any]]) -> None:
        """End the job and store its result, in one transaction."""

        def finish(session: Session) -> None:
            # First of all, so that a zombie stores nothing.
            service.report_progress(session, self._claim, progress)
            service.finish_succeeded(session, self._claim, store(session))

        write_patiently(self._database, finish)

    def _try_to_write(self, operation: Callable[[Session], None]) -> None:
        try:
            with self._database.writing() as session:
                operation(session)
        except DATABASE_AWAY as error:
            _log.warning("database away", reason=tell_outage(error))
