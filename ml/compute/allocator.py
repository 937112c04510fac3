"""How the allocator treats memory that was freed."""

import ctypes
import sys

_TRIM_THRESHOLD, _MAPPED_BLOCKS = -1, -4  # of glibc's <malloc.h>


def keep_freed_memory() -> bool:
    """Let this process keep what it frees; return whether its allocator does.

    By default glibc gives every array of 32 MB or more back to the system as soon as it is
    freed, and the next epoch meets each page of its own for the first time: on 82,000 buses
    that was a fifth of an epoch. For processes that live for one training; other allocators
    than glibc's are left as they are.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_TRIM_THRESHOLD, 2**31 - 1) and mallopt(_MAPPED_BLOCKS, 0))
