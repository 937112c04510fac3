"""Sparse matrices of torch as compressed rows, which it multiplies fastest."""

import warnings

import scipy.sparse as sp
import torch
from torch import Tensor

from ml.arrays import SparseMatrix


def multiplies_sparse(device: torch.device) -> bool:
    """Tell whether torch has a fast product of compressed rows and a dense matrix there."""
    has_mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]  # torch
    return device.type == "cuda" or has_mkl


def from_scipy(matrix: SparseMatrix, device: torch.device) -> Tensor:
    """Return the matrix in float32 on the device."""
    parts = (torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data))
    starts, columns, values = parts
    return _compress(starts, columns, values.float(), matrix.shape).to(device)


def from_pairs(matrix: Tensor) -> Tensor:
    """Return a coalesced matrix of pairs, whose entries are already in the order of rows."""
    rows, columns = matrix.indices()
    counts = torch.bincount(rows, minlength=matrix.shape[0])
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return _compress(starts, columns, matrix.values(), matrix.shape)


def transpose(matrix: Tensor) -> Tensor:
    """Return the transposed matrix as compressed rows of its own.

    Cost: O(entries) on the host, where scipy counts while torch would sort.
    """
    if matrix.device.type != "cpu":
        return matrix.t().to_sparse_csr()
    parts = (matrix.values(), matrix.col_indices(), matrix.crow_indices())
    rows = sp.csr_array(
        tuple(part.detach().numpy() for part in parts), shape=(matrix.shape[0], matrix.shape[1])
    )
    return from_scipy(sp.csr_array(rows.T), matrix.device)


def _compress(starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, shape, check_invariants=False)
