"""Machine code for the loops that numpy cannot express, kept on disk between runs."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a numerical loop on its first call; it then runs without the interpreter lock.

    Deviation: ``a - b * c`` may round once instead of twice. Where no folder can be written
        to, the code is compiled anew in every process.
    """
    try:
        return _compile(function, cache=True)
    except RuntimeError:
        return _compile(function, cache=False)


def _compile(function: Function, *, cache: bool) -> Function:
    options = numba.njit(cache=cache, nogil=True, error_model="numpy", fastmath={"contract"})
    return cast("Function", options(function))
