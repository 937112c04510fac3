"""Limits how much expensive work runs and waits at the same time."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from app.errors import LevygridError


class AdmissionLimit:
    """Runs at most ``concurrent`` pieces of work; at most ``admitted`` run or wait.

    Safe to share between threads. The number of waiting requests is bounded because each of them
    occupies one of the threads that serve every other request.
    """

    def __init__(self, concurrent: int, admitted: int) -> None:
        self._running = BoundedSemaphore(concurrent)
        self._admitted = BoundedSemaphore(admitted)

    @contextmanager
    def admit(self, refusal: LevygridError) -> Iterator[None]:
        """Wait until the work may run. Raises: ``refusal`` if too many already run or wait."""
        if not self._admitted.acquire(blocking=False):
            raise refusal
        try:
            with self._running:
                yield
        finally:
            self._admitted.release()
