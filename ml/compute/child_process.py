"""Exit of a child process when its parent dies."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, with_signal: signal.Signals) -> None:
    """Have the kernel signal this process when the thread that started it ends."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, with_signal)
    if os.getppid() != parent:  # the parent died before the request
        os.kill(os.getpid(), with_signal)
