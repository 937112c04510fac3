"""Threads for compiled loops, which run without the interpreter lock."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

Result = TypeVar("Result")

_limits: list[int] = []


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Limit the computing threads of this process, like ``torch.set_num_threads``."""
    _limits.append(count)
    try:
        yield
    finally:
        _limits.remove(count)


def thread_count() -> int:
    """Return the number of computing threads: the limit, ``OMP_NUM_THREADS``, or the cores."""
    if _limits:
        return _limits[-1]
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    return os.cpu_count() or 1


def run_tasks(tasks: Sequence[Callable[[], Result]], *, together: bool) -> list[Result]:
    """Run independent tasks and return their results in order, on all cores if ``together``."""
    threads = thread_count()
    if not together or threads == 1 or len(tasks) < 2:
        return [task() for task in tasks]
    # The calling thread takes every threads-th task, so that no task waits for a busy pool.
    own = tasks[::threads]
    others = {
        position: _pool(os.getpid(), threads).submit(task)
        for position, task in enumerate(tasks)
        if position % threads
    }
    done = [task() for task in own]
    return [
        others[position].result() if position in others else done[position // threads]
        for position in range(len(tasks))
    ]


@lru_cache(maxsize=4)
def _pool(_process: int, threads: int) -> ThreadPoolExecutor:
    """Return the pool of this process; the threads of a parent do not survive a fork."""
    return ThreadPoolExecutor(threads - 1, thread_name_prefix="levy")
