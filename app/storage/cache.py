"""A cache of immutable values that several threads may share."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the ``size`` most recently used values; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._values: LRUCache[str, Value] = LRUCache(size)
        self._lock = Lock()

    def find(self, key: str) -> Value | None:
        """Return the cached value of ``key``, if there is one."""
        with self._lock:
            return self._values.get(key)

    def get_or_load(self, key: str, load: Callable[[], Value]) -> Value:
        """Return the value of ``key``; call ``load`` if it is not cached.

        Two threads may load the same value at once; both return an equal one.
        """
        value = self.find(key)
        if value is None:
            value = load()
            with self._lock:
                self._values[key] = value
        return value
