"""Sparse matrices in torch: features with few values, and compressed rows to multiply them."""

import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from ml.arrays import FloatArray, SparseMatrix
from ml.config.settings import NetworkSettings
from ml.levy.limits import WIDE_COLUMNS
from ml.nn.kernels.sparse_product import multiply_rows

SPARSE_BELOW = 0.15
"""Share of non-zero values below which a wide matrix is stored sparse."""
KEPT_PATTERNS = 4
"""Patterns in memory: a run has one feature matrix, whose values dropout changes every epoch."""


def make_features(columns: FloatArray, config: NetworkSettings) -> Tensor:
    """Return the features in float32, sparse if wide and nearly empty.

    Deviation: bag-of-words features are 90 to 99 % zeros; dropout and the first product touch
        only the rest. At 90 % (PubMed) an epoch of GCN or LFGCN takes a third of the time.
        Features no wider than the first layer stay dense, because the filter may then act on
        them first.
    Shapes: (N, Q) -> (N, Q).
    """
    dense = torch.from_numpy(columns).float()
    width = columns.shape[1]
    if width < WIDE_COLUMNS or width <= config.path_count * config.width:
        return dense
    if np.count_nonzero(columns) > SPARSE_BELOW * columns.size:
        return dense
    return dense.to_sparse().coalesce()


def densify(features: Tensor) -> Tensor:
    """Return the features as a dense matrix, for layers that cannot read sparse ones."""
    return features.to_dense() if features.is_sparse else features


def multiply(features: Tensor, kernel: Tensor) -> Tensor:
    """Return ``features @ kernel``, by compressed rows where the features are sparse.

    Shapes: (N, Q), (Q, C) -> (N, C).
    """
    if not features.is_sparse or not multiplies_sparse(features.device):
        return features @ kernel
    return multiply_rows(from_pairs(features), partial(from_pairs_transposed, features), kernel)


def apply_linear(layer: nn.Module, signal: Tensor) -> Tensor:
    """Apply a linear layer, by compressed rows where the signal is sparse."""
    linear = cast("nn.Linear", layer)  # or another library's, with the same two parameters
    if not signal.is_sparse:
        changed: Tensor = linear(signal)
        return changed
    product = multiply(signal, linear.weight.T)
    return product if linear.bias is None else product + linear.bias


def multiplies_sparse(device: torch.device) -> bool:
    """Return whether torch has a fast product of compressed rows on this device."""
    has_mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]  # torch
    return device.type == "cuda" or has_mkl


def from_scipy(matrix: SparseMatrix, device: torch.device) -> Tensor:
    """Return the matrix in float32 on the device."""
    parts = (torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data))
    starts, columns, values = parts
    return _compress(starts.int(), columns.int(), values.float(), matrix.shape).to(device)


def from_pairs(matrix: Tensor) -> Tensor:
    """Return a coalesced coordinate matrix, whose entries are in the order of rows, as rows."""
    pattern = _pattern_of(matrix)
    return _compress(pattern.starts, pattern.columns, matrix.values(), matrix.shape)


def from_pairs_transposed(matrix: Tensor) -> Tensor:
    """Return the transpose of a coalesced coordinate matrix as compressed rows.

    Cost: one gathering of the values; their order is computed once per pattern.
    """
    pattern = _pattern_of(matrix)
    values = matrix.values()[pattern.order]
    shape = (matrix.shape[1], matrix.shape[0])
    return _compress(pattern.starts_transposed, pattern.rows_in_order, values, shape)


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Positions of a matrix's entries: by rows, and by columns in the order ``order``."""

    starts: Tensor
    columns: Tensor
    order: Tensor
    starts_transposed: Tensor
    rows_in_order: Tensor


class _Place:
    """Indices that compare by their memory address, which no other tensor can have meanwhile."""

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
    """Return the first entry of each row, in the 32 bits that the product works with."""
    counts = torch.bincount(numbers, minlength=count)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()


def _compress(starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, shape, check_invariants=False)
