"""The queues in which jobs wait, one per kind of device."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Queue(StrEnum):
    """A queue of jobs."""

    CPU = "cpu"
    GPU = "gpu"


EVERY_QUEUE = tuple(Queue)


def choose_queue(payload: Mapping[str, Any]) -> Queue:
    """Return the queue of a job: ``gpu`` only if its settings demand a GPU.

    With ``auto`` the job uses a GPU if its worker has one, but does not wait for one.
    """
    config = payload.get("config") or {}
    return Queue.GPU if config.get("device") == "cuda" else Queue.CPU
