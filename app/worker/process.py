"""What a child process is started with, and the limits that it keeps to."""

import os
import resource
import sys
from pathlib import Path

from app.settings import Settings

_DATA_PAGES = 5  # of /proc/self/statm
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def limit_memory(writable: int) -> None:
    """Set how much writable memory of its own this process may have; 0 lifts the limit.

    Not its address space: torch alone maps half a gigabyte of code that no job has to pay for,
    and an estimate of what a job needs could not be held against that.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = writable or resource.RLIM_INFINITY
    if hard != resource.RLIM_INFINITY and (wanted == resource.RLIM_INFINITY or wanted > hard):
        wanted = hard
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def writable_memory_used() -> int:
    """Return the bytes that ``limit_memory`` limits; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    pages = int(Path("/proc/self/statm").read_text().split()[_DATA_PAGES])
    return pages * resource.getpagesize()


def child_environment(settings: Settings, threads: int) -> dict[str, str]:
    """Return this process's environment with every setting and the thread limit spelt out.

    Passive waiting: threads that spin for work while other processes want the cores made
    training up to twenty times slower.
    """
    given = {
        f"LEVYGRID_{name.upper()}": str(value)
        for name, value in settings.model_dump(exclude_none=True).items()
    }
    limits = dict.fromkeys(_THREAD_VARIABLES, str(threads))
    return os.environ | given | limits | {"OMP_WAIT_POLICY": "PASSIVE"}


def child_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of our modules in a fresh interpreter.

    ``-P`` keeps the working folder off the path, where another ``app`` could lie.
    """
    return [sys.executable, "-P", "-m", module, *arguments, str(os.getpid())]
