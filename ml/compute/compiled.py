"""Compilation of loops that numpy cannot express; the machine code is cached on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a numerical loop on its first call; it then runs without the interpreter lock.

    Deviation: ``a - b * c`` may round once instead of twice. Without a writable folder the code
        is compiled in every process.
    """
    try:
        return _compile(function, cache=True)
    except RuntimeError:
        return _compile(function, cache=False)


def _compile(function: Function, *, cache: bool) -> Function:
    options = numba.njit(cache=cache, nogil=True, error_model="numpy", fastmath={"contract"})
    return cast("Function", options(function))
