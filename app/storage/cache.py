"""A small memory of immutable values: keyed by id, bounded, the least used goes first."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the most recently used values; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = Lock()

    def find(self, key: str) -> Value | None:
        """Return the value of ``key`` if it is remembered."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def get_or_load(self, key: str, load: Callable[[], Value]) -> Value:
        """Return the value of ``key``, loading it if it is not remembered.

        Two threads may load the same value at once; both get an equal one.
        """
        found = self.find(key)
        if found is not None:
            return found
        value = load()
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
