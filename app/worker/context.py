"""What every function of a worker process needs."""

import os
import socket
import threading
from dataclasses import dataclass, field

from app.db import Database
from app.jobs.dispatch import Dispatcher
from app.jobs.states import LeaseTerms
from app.settings import Settings


def _own_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True)
class WorkerContext:
    """One worker: where it reads jobs, how many at once, and whether it is to stop."""

    settings: Settings
    database: Database
    dispatcher: Dispatcher
    concurrency: int = 1
    stop: threading.Event = field(default_factory=threading.Event)
    name: str = field(default_factory=_own_name)

    @property
    def terms(self) -> LeaseTerms:
        """On what terms this worker claims jobs."""
        return LeaseTerms(self.name, self.settings.lease_seconds, self.settings.max_attempts)

    @property
    def threads(self) -> int:
        """How many threads one job may use, so that jobs do not fight for cores."""
        cores = len(os.sched_getaffinity(0))
        return self.settings.threads or max(1, cores // self.concurrency)
