"""The interface of a running task to its job: progress, checkpoints, result."""

import threading
import time
from collections.abc import Callable

import structlog
from sqlalchemy.orm import Session

from app.jobs import service
from app.jobs.states import Claim
from app.storage.db import Database
from app.storage.documents import JobProgress, JobResult
from app.storage.retry import (
    DATABASE_AWAY,
    Answer,
    describe_outage,
    read_with_retry,
    write_with_retry,
)
from app.storage.tables import CheckpointRow
from ml.errors import TrainingInterrupted

_REPORT_SECONDS = 0.5
_REPORTED_FRACTION = 1 / 3600
"""Shortest pause between reports as a fraction of the run time: long jobs report less often."""
_log = structlog.get_logger("levygrid.jobs")


class JobHandle:
    """A claimed job, for the task that runs it.

    Every write is fenced: LeaseLost ends a task whose job another worker has claimed. While the
    database is unreachable, progress and checkpoints are dropped, but the result is retried.
    """

    def __init__(
        self, database: Database, claim: Claim, checkpoint_seconds: float, stop: threading.Event
    ) -> None:
        self._database = database
        self._claim = claim
        self._checkpoint_seconds = checkpoint_seconds
        self._stop = stop
        self._reported_at = 0.0
        self._started_at = self._saved_at = time.monotonic()

    def read(self, operation: Callable[[Session], Answer]) -> Answer:
        """Read from the database; retry while it is unreachable."""
        return read_with_retry(self._database, operation)

    def find_checkpoint(self) -> CheckpointRow | None:
        """Return the newest checkpoint of an earlier attempt, if there is one."""
        return self.read(lambda session: service.find_checkpoint(session, self._claim.job_id))

    def report(self, describe: Callable[[], JobProgress]) -> None:
        """Store the progress, at most twice per second."""
        elapsed = time.monotonic() - self._started_at
        pause = max(_REPORT_SECONDS, _REPORTED_FRACTION * elapsed)
        if time.monotonic() - self._reported_at < pause:
            return
        self._reported_at = time.monotonic()
        progress = describe()
        self._try_to_write(lambda session: service.report_progress(session, self._claim, progress))

    def is_checkpoint_due(self) -> bool:
        """Return whether to save now: the interval has passed or the worker is stopping."""
        elapsed = time.monotonic() - self._saved_at
        return self._stop.is_set() or elapsed >= self._checkpoint_seconds

    def save_checkpoint(self, epoch: int, content: bytes) -> None:
        """Store the state that a later attempt resumes from.

        Raises: TrainingInterrupted, once stored, if the worker is stopping.
        """
        self._saved_at = time.monotonic()
        self._try_to_write(
            lambda session: service.save_checkpoint(session, self._claim, epoch, content)
        )
        if self._stop.is_set():
            raise TrainingInterrupted(epoch)

    def check_stop(self, epoch: int) -> None:
        """Interrupt the task if the worker is stopping. Raises: TrainingInterrupted."""
        if self._stop.is_set():
            raise TrainingInterrupted(epoch)

    def succeed(self, progress: JobProgress, store: Callable[[Session], JobResult]) -> None:
        """End the job and store its result, in one transaction."""

        def finish(session: Session) -> None:
            # First, because it raises LeaseLost before a superseded attempt stores anything.
            service.report_progress(session, self._claim, progress)
            service.finish_succeeded(session, self._claim, store(session))

        write_with_retry(self._database, finish)

    def _try_to_write(self, operation: Callable[[Session], None]) -> None:
        try:
            with self._database.writing() as session:
                operation(session)
        except DATABASE_AWAY as error:
            _log.warning("database unreachable", reason=describe_outage(error))
