"""Sparse matrices of torch as compressed rows, which it multiplies fastest."""

import warnings
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from ml.arrays import SparseMatrix

KEPT_PATTERNS = 4
"""A run has one feature matrix, which dropout gives new values at every epoch."""


def multiplies_sparse(device: torch.device) -> bool:
    """Tell whether torch has a fast product of compressed rows and a dense matrix there."""
    has_mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]  # torch
    return device.type == "cuda" or has_mkl


def from_scipy(matrix: SparseMatrix, device: torch.device) -> Tensor:
    """Return the matrix in float32 on the device."""
    parts = (torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data))
    starts, columns, values = parts
    return _compress(starts.int(), columns.int(), values.float(), matrix.shape).to(device)


def from_pairs(matrix: Tensor) -> Tensor:
    """Return a coalesced matrix of pairs, whose entries are already in the order of rows."""
    pattern = _pattern_of(matrix)
    return _compress(pattern.starts, pattern.columns, matrix.values(), matrix.shape)


def from_pairs_transposed(matrix: Tensor) -> Tensor:
    """Return the transposed of a coalesced matrix of pairs.

    Cost: one gathering of the values; where they go is found once for all equal patterns.
    """
    pattern = _pattern_of(matrix)
    values = matrix.values()[pattern.order]
    shape = (matrix.shape[1], matrix.shape[0])
    return _compress(pattern.starts_transposed, pattern.rows_in_order, values, shape)


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Where the entries of a matrix are: by rows, and by columns in the order ``order``."""

    starts: Tensor
    columns: Tensor
    order: Tensor
    starts_transposed: Tensor
    rows_in_order: Tensor


class _Place:
    """Indices known by where they lie in memory, which is theirs while this is kept."""

    def __init__(self, indices: Tensor, shape: torch.Size) -> None:
        self.indices = indices
        self.shape = shape
        self._key = (indices.data_ptr(), indices.shape[1], indices.device, shape)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and self._key == other._key


def _pattern_of(matrix: Tensor) -> _Pattern:
    return _find_pattern(_Place(matrix.indices(), matrix.shape))


@lru_cache(maxsize=KEPT_PATTERNS)
def _find_pattern(place: _Place) -> _Pattern:
    rows, columns = place.indices
    order = columns.argsort(stable=True)
    return _Pattern(
        starts=_starts(rows, place.shape[0]),
        columns=columns.int(),
        order=order,
        starts_transposed=_starts(columns, place.shape[1]),
        rows_in_order=rows[order].int(),
    )


def _starts(numbers: Tensor, count: int) -> Tensor:
    """Return where each row begins; 32 bits are what the product works with."""
    counts = torch.bincount(numbers, minlength=count)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()


def _compress(starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, shape, check_invariants=False)
