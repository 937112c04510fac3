"""Command line, environment and memory limit of child processes."""

import os
import resource
import sys

import psutil

from app.settings import Settings

HANDED_BACK = 75
"""Exit code of a job process that saved a checkpoint because its worker stops (EX_TEMPFAIL)."""

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def limit_memory(writable: int) -> None:
    """Limit the writable memory of this process in bytes; 0 lifts the limit.

    The limit is not on the address space: torch alone maps half a gigabyte of code, which the
    memory estimate of a job does not include.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = writable or resource.RLIM_INFINITY
    if hard != resource.RLIM_INFINITY and (wanted == resource.RLIM_INFINITY or wanted > hard):
        wanted = hard
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def writable_memory_used() -> int:
    """Return the bytes that count against ``limit_memory``; 0 on systems without that figure."""
    return int(getattr(psutil.Process().memory_info(), "data", 0))


def child_environment(settings: Settings, threads: int) -> dict[str, str]:
    """Return this process's environment with every setting and the thread limit filled in.

    The OpenMP wait policy is passive: threads that spin while other processes need the cores
    made training up to twenty times slower.
    """
    variables = {
        f"LEVYGRID_{name.upper()}": str(value)
        for name, value in settings.model_dump(exclude_none=True).items()
    }
    limits = dict.fromkeys(_THREAD_VARIABLES, str(threads))
    return os.environ | variables | limits | {"OMP_WAIT_POLICY": "PASSIVE"}


def child_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of our modules in a fresh interpreter.

    ``-P`` keeps the working folder off the path, because it could contain another ``app``.
    """
    return [sys.executable, "-P", "-m", module, *arguments, str(os.getpid())]
