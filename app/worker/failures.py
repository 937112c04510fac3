"""What a failed attempt is put down to: want of memory shows itself in many ways."""

from app.errors import JobFailed, OutOfMemory
from app.worker.process import writable_memory_used

_GB = 1e9
_SIGNS_OF_WANT = ("memory", "failed to map segment", "can't start new thread")
_NEARLY_ALL = 0.9  # of the limit in use: a failure is then put down to the limit


def recognise_failure(error: Exception, memory_limit: int) -> Exception:
    """Tell want of memory from other faults; libraries report it in words, or as broken imports."""
    if isinstance(error, JobFailed):
        return error
    starved = memory_limit > 0 and writable_memory_used() > _NEARLY_ALL * memory_limit
    limited = memory_limit > 0
    if starved or any(_wants_memory(reason, limited=limited) for reason in _chain(error)):
        return OutOfMemory(_explain(memory_limit))
    return error


def check_start(memory_limit: int) -> None:
    """Refuse to begin with no memory left: libraries then crash without a word.

    Raises: OutOfMemory.
    """
    if 0 < memory_limit <= writable_memory_used():
        raise OutOfMemory(_explain(memory_limit))


def explain_limit(memory_limit: int) -> str:
    """Say how much memory a training process may have, for problems that it may have caused."""
    if not memory_limit:
        return ""
    return f" LEVYGRID_JOB_MEMORY_BYTES lets it have {memory_limit} bytes, which may be too few."


def _explain(memory_limit: int) -> str:
    if not memory_limit:
        return f"The job needs more memory than this machine has. {OutOfMemory.advice}."
    return (
        f"The job needs more than the {memory_limit / _GB:.2f} GB ({memory_limit} bytes) that "
        "LEVYGRID_JOB_MEMORY_BYTES lets a training process have. "
        f"{OutOfMemory.advice}, or raise it."
    )


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error and everything that led to it."""
    chain: list[BaseException] = []
    pending: BaseException | None = error
    while pending is not None and pending not in chain:
        chain.append(pending)
        pending = pending.__cause__ or pending.__context__
    return chain


def _wants_memory(error: BaseException, *, limited: bool) -> bool:
    if isinstance(error, MemoryError) or (limited and isinstance(error, ImportError | SystemError)):
        return True
    told = isinstance(error, RuntimeError | OSError | ImportError)
    return told and any(sign in str(error).lower() for sign in _SIGNS_OF_WANT)
