"""Recognises out-of-memory failures, which libraries report in many different ways."""

from app.errors import JobFailed, OutOfMemory
from app.worker.process import writable_memory_used

_GB = 1e9
_OUT_OF_MEMORY_PHRASES = ("memory", "failed to map segment", "can't start new thread")
_NEARLY_ALL = 0.9  # fraction of the limit in use above which any failure is attributed to it


def recognise_failure(error: Exception, memory_limit: int) -> Exception:
    """Return OutOfMemory if the error or one of its causes looks like it, else the error.

    Libraries report missing memory in their messages, or as failed imports.
    """
    if isinstance(error, JobFailed):
        return error
    limited = memory_limit > 0
    exhausted = limited and writable_memory_used() > _NEARLY_ALL * memory_limit
    if exhausted or any(_is_out_of_memory(cause, limited=limited) for cause in _chain(error)):
        return OutOfMemory(_explain(memory_limit))
    return error


def check_memory_left(memory_limit: int) -> None:
    """Refuse to start without memory left, because libraries then crash without a message.

    Raises: OutOfMemory.
    """
    if 0 < memory_limit <= writable_memory_used():
        raise OutOfMemory(_explain(memory_limit))


def explain_limit(memory_limit: int) -> str:
    """Return a sentence on the memory limit, for failures that it may have caused."""
    if not memory_limit:
        return ""
    return f" LEVYGRID_JOB_MEMORY_BYTES is {memory_limit}, which may be too low."


def _explain(memory_limit: int) -> str:
    if not memory_limit:
        return f"The job needs more memory than this machine has. {OutOfMemory.advice}."
    return (
        f"The job needs more than the {memory_limit / _GB:.2f} GB ({memory_limit} bytes) that "
        f"LEVYGRID_JOB_MEMORY_BYTES allows. {OutOfMemory.advice}, or raise the limit."
    )


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error and everything that led to it."""
    chain: list[BaseException] = []
    pending: BaseException | None = error
    while pending is not None and pending not in chain:
        chain.append(pending)
        pending = pending.__cause__ or pending.__context__
    return chain


def _is_out_of_memory(error: BaseException, *, limited: bool) -> bool:
    if isinstance(error, MemoryError) or (limited and isinstance(error, ImportError | SystemError)):
        return True
    if not isinstance(error, RuntimeError | OSError | ImportError):
        return False
    return any(phrase in str(error).lower() for phrase in _OUT_OF_MEMORY_PHRASES)
