"""Which workers may take a job: those with the device that it asks for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Queue(StrEnum):
    """Where a job waits."""

    CPU = "cpu"
    GPU = "gpu"


EVERY_QUEUE = tuple(Queue)


def choose_queue(payload: Mapping[str, Any]) -> Queue:
    """Return where a job waits: for a GPU only if its settings insist on one.

    ``auto`` uses a GPU if the worker that takes the job has one, and waits for none.
    """
    config = payload.get("config") or {}
    return Queue.GPU if config.get("device") == "cuda" else Queue.CPU
