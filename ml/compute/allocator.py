"""Settings of the memory allocator."""

import ctypes
import sys

_TRIM_THRESHOLD, _MAPPED_BLOCKS = -1, -4  # of glibc's <malloc.h>


def keep_freed_memory() -> bool:
    """Let this process keep freed memory for reuse; return whether its allocator supports that.

    By default glibc returns every array of 32 MB or more to the system as soon as it is freed,
    and the next epoch pays for a page fault per page: a fifth of an epoch on 82,000 buses. For
    processes that run one training; allocators other than glibc's are not changed.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_TRIM_THRESHOLD, 2**31 - 1) and mallopt(_MAPPED_BLOCKS, 0))
