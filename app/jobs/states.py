"""The states of a job and the tokens that say who may change them.

queued ──claim──> running ──finish──> succeeded | failed
  │  ^──hand back──┘  │
  └──────cancel───────┴──> cancelled
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.jobs.queues import EVERY_QUEUE


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED})
"""States that a job does not leave."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write to a running job: void once ``attempt`` has moved on."""

    job_id: str
    attempt: int


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """On what terms a worker claims jobs."""

    owner: str
    seconds: float
    max_attempts: int
    queues: Sequence[str] = EVERY_QUEUE
