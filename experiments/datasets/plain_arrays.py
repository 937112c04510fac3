"""Arrays and sparse matrices from untrusted raw bytes."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ml.arrays import SparseMatrix

MAX_BYTES = 256 * 2**20
_NUMBERS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}


class NotPlain(ValueError):
    """The stream holds something that is not plain data, or is damaged."""


@dataclass
class Element:
    """Element type of an array; its byte order follows later in the stream."""

    code: str
    order: str = "|"


def make_array(raw: object, element: Element, shape: object, by_column: bool) -> npt.NDArray[Any]:
    """Return an array of numbers from its bytes.

    Raises: NotPlain if the bytes do not fit the shape, or if the elements are not numbers.
    """
    if element.code not in _NUMBERS:
        raise NotPlain(f"an array of the type {element.code} is not allowed")
    content = raw.encode("latin-1") if isinstance(raw, str) else raw
    if not isinstance(content, bytes | bytearray):
        raise NotPlain(f"an array consists of a {type(raw).__name__}")
    dtype = np.dtype(element.order + element.code)
    sizes = check_sizes(shape)
    if math.prod(sizes) * dtype.itemsize != len(content):
        raise NotPlain(f"an array of shape {sizes} has {len(content)} bytes")
    values = np.frombuffer(content, dtype).reshape(sizes, order="F" if by_column else "C")
    return values.astype(dtype.newbyteorder("="))


def check_sizes(shape: object) -> tuple[int, ...]:
    """Return a shape of one or two sizes within bounds. Raises: NotPlain for any other."""
    if not isinstance(shape, tuple) or len(shape) not in {1, 2}:
        raise NotPlain("a shape has neither one nor two sizes")
    if not all(isinstance(size, int) and 0 <= size <= MAX_BYTES for size in shape):
        raise NotPlain("a size is not a number within bounds")
    return shape


def make_matrix(data: Any, columns: Any, starts: Any, sizes: tuple[int, ...]) -> SparseMatrix:
    """Return a sparse matrix after checking its positions, which scipy does not do by itself.

    Raises: NotPlain for parts of an unexpected form; ValueError if scipy's check fails.
    """
    parts = (data, columns, starts)
    flat = all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts)
    if not flat or len(sizes) != 2:
        raise NotPlain("a sparse matrix has parts of an unexpected form")
    if columns.dtype.kind != "i" or starts.dtype.kind != "i":
        raise NotPlain("the positions in a sparse matrix are not whole numbers")
    if np.any(starts[1:] < starts[:-1]):
        raise NotPlain("the rows of a sparse matrix are out of order")
    matrix = sp.csr_array((data.astype(np.float64), columns, starts), shape=(sizes[0], sizes[1]))
    matrix.check_format(full_check=True)
    return matrix
