"""The state that the functions of a worker process share."""

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
"""On smaller grids several threads are slower than one, because they mostly wait."""


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """One worker: its database, dispatcher, queues and concurrency, and its stop event."""

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
        """The owner of the leases of this worker, as stored with its jobs."""
        return f"{self.host}:{os.getpid()}"

    @property
    def terms(self) -> LeaseTerms:
        """The lease terms under which this worker claims jobs."""
        settings = self.settings
        return LeaseTerms(self.name, settings.lease_seconds, settings.max_attempts, self.queues)

    @property
    def environment(self) -> dict[str, str]:
        """Extra variables of job processes; hides the GPU unless this worker serves its queue."""
        return {} if Queue.GPU in self.queues else {"CUDA_VISIBLE_DEVICES": ""}

    def choose_threads(self, bus_count: int, slots: int) -> int:
        """Return the number of threads for a job if ``slots`` jobs share the cores."""
        if self.settings.threads:
            return self.settings.threads
        if bus_count < _BUSES_WORTH_THREADS:
            return 1
        return max(1, len(os.sched_getaffinity(0)) // max(slots, self.concurrency))
