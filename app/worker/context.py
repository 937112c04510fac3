"""What every function of a worker process needs."""

import os
import socket
import threading
from dataclasses import dataclass, field

from app.db import Database
from app.jobs.dispatch import Dispatcher
from app.jobs.states import LeaseTerms
from app.settings import Settings

_BUSES_WORTH_THREADS = 1000
"""On smaller grids threads wait for each other longer than they work."""


def _own_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True)
class WorkerContext:
    """One worker: where it reads jobs, how many share the cores, whether it is to stop."""

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

    def choose_threads(self, bus_count: int) -> int:
        """Return how many threads a job may use: few enough not to fight for cores."""
        if self.settings.threads:
            return self.settings.threads
        if bus_count < _BUSES_WORTH_THREADS:
            return 1
        return max(1, len(os.sched_getaffinity(0)) // self.concurrency)
