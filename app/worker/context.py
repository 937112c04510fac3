"""What every function of a worker process needs."""

import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.jobs.dispatch import Dispatcher
from app.jobs.queues import Queue
from app.jobs.states import LeaseTerms
from app.settings import Settings
from app.storage.db import Database

_BUSES_WORTH_THREADS = 1000
"""On smaller grids threads wait for each other longer than they work."""


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """One worker: where it reads jobs and which, how many at once, whether it is to stop."""

    settings: Settings
    database: Database
    dispatcher: Dispatcher
    concurrency: int = 1
    queues: Sequence[Queue] = (Queue.CPU,)
    device: str = "unknown"
    stop: threading.Event = field(default_factory=threading.Event)
    host: str = field(default_factory=socket.gethostname)

    @property
    def name(self) -> str:
        """Who holds the lease of a job."""
        return f"{self.host}:{os.getpid()}"

    @property
    def terms(self) -> LeaseTerms:
        """On what terms this worker claims jobs."""
        settings = self.settings
        return LeaseTerms(self.name, settings.lease_seconds, settings.max_attempts, self.queues)

    @property
    def environment(self) -> dict[str, str]:
        """What training processes get beside the settings: no GPU if this is not a GPU queue."""
        return {} if Queue.GPU in self.queues else {"CUDA_VISIBLE_DEVICES": ""}

    def choose_threads(self, bus_count: int, slots: int) -> int:
        """Return how many threads a job may use if ``slots`` jobs share the cores."""
        if self.settings.threads:
            return self.settings.threads
        if bus_count < _BUSES_WORTH_THREADS:
            return 1
        return max(1, len(os.sched_getaffinity(0)) // max(slots, self.concurrency))
