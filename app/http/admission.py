"""Taking turns: so many at a time, so many more in line, nobody else."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from app.errors import LevygridError


class Turns:
    """A line for work that must not run too often at once; safe to share between threads.

    Who waits keeps one of the threads that serve all other requests: so the line has an end.
    """

    def __init__(self, at_once: int, in_line: int) -> None:
        self._at_once = BoundedSemaphore(at_once)
        self._in_line = BoundedSemaphore(in_line)

    @contextmanager
    def take(self, refusal: LevygridError) -> Iterator[None]:
        """Wait for a turn and keep it. Raises: ``refusal`` if the line is full."""
        if not self._in_line.acquire(blocking=False):
            raise refusal
        try:
            with self._at_once:
                yield
        finally:
            self._in_line.release()
