"""The states of a job and the tokens that authorise changes to it.

queued ──claim──> running ──finish──> succeeded | failed
  │  ^──hand back──┘  │
  └──────cancel───────┴──> cancelled
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.jobs.queues import EVERY_QUEUE


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = frozenset({JobState.QUEUED, JobState.RUNNING})
"""States of a job that is waiting or running."""
ENDED = frozenset(JobState) - UNFINISHED
"""States that a job does not leave."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write to a running job; void once another attempt has begun."""

    job_id: str
    attempt: int


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """The terms under which a worker claims jobs."""

    owner: str
    seconds: float
    max_attempts: int
    queues: Sequence[str] = EVERY_QUEUE
