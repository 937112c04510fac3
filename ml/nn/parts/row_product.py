"""Weighted sums of neighbours' messages as one product by compressed rows."""

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from ml.arrays import SparseMatrix
from ml.graph.laplacian import degrees_of
from ml.nn.kernels.sparse_product import multiply_rows
from ml.nn.sparse import from_scipy, multiplies_sparse


class SymmetricRows:
    """A symmetric sparse matrix that signals are multiplied by.

    Cost: forward and backward each one product by compressed rows; the library's gathering and
        scattering of messages, and its own products of sparse matrices, take ten times as long.
    """

    def __init__(self, matrix: SparseMatrix, device: torch.device) -> None:
        rows = from_scipy(matrix, device)
        self._rows = rows if multiplies_sparse(device) else rows.to_sparse()

    def apply(self, signal: Tensor) -> Tensor:
        """Return the product. Shapes: (N, C) -> (N, C), or (S, N, C) -> (S, N, C)."""
        if signal.dim() == 2:  # nodes and columns
            return self._multiply(signal)
        stacks, nodes, columns = signal.shape
        beside = signal.transpose(0, 1).reshape(nodes, stacks * columns)
        return self._multiply(beside).view(nodes, stacks, columns).transpose(0, 1)

    def _multiply(self, signal: Tensor) -> Tensor:
        return multiply_rows(self._rows, lambda: self._rows, signal.contiguous())


def add_by_rows(_layer: nn.Module, matrix: SymmetricRows, x: Tensor, **_weights: None) -> Tensor:
    """Replace ``propagate`` in a layer of PyTorch Geometric, with the arguments of that method.

    The layer receives the normalised matrix in place of its edges. Its messages must be the
    neighbours' signals times the edges' weights. The library leaves the method alone only if the
    class itself defines it.
    """
    return matrix.apply(x)


def normalise(adjacency: SparseMatrix, *, self_loops: bool) -> SparseMatrix:
    """Return the symmetric normalisation of GCN.

    Equation: Kipf and Welling (2017), ``D^-1/2 (W + I) D^-1/2``, without ``I`` if
        ``self_loops`` is false.
    Shapes: (N, N) symmetric -> (N, N) symmetric.
    """
    matrix = adjacency
    if self_loops:
        matrix = sp.csr_array(adjacency + sp.eye_array(adjacency.shape[0]))
    degrees = degrees_of(matrix)
    scale = np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    scaling = sp.diags_array(scale)
    return sp.csr_array(scaling @ matrix @ scaling)
