"""Messages that are weighted and added, as one product by compressed rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from ml.arrays import SparseMatrix
from ml.graph.laplacian import degrees_of
from ml.nn.sparse_rows import from_scipy, multiplies_sparse


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
            return _multiply(self._rows, signal)
        stacks, nodes, columns = signal.shape
        beside = signal.transpose(0, 1).reshape(nodes, stacks * columns)
        return _multiply(self._rows, beside).view(nodes, stacks, columns).transpose(0, 1)


def add_by_rows(_layer: nn.Module, matrix: SymmetricRows, x: Tensor, **_weights: None) -> Tensor:
    """Stand for ``propagate`` in a layer of PyTorch Geometric, whose arguments these are.

    The layer gets the matrix, normalised already, in place of its edges. It has to be one whose
    messages are the neighbours' signals times the edges' weights. The library leaves the method
    alone only if the class itself has it.
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


def _multiply(rows: Tensor, signal: Tensor) -> Tensor:
    product: Tensor = _Product.apply(signal, rows)  # type: ignore[no-untyped-call]  # torch
    return product


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, signal: Tensor, rows: Tensor) -> Tensor:
        context.rows = rows
        return rows @ signal.contiguous()

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return context.rows @ gradients[0].contiguous(), None
