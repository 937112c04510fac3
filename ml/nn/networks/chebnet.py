"""ChebNet of Defferrard et al. (2016) from PyTorch Geometric."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn import ChebConv

from ml.methods.chebnet import ChebnetSettings
from ml.nn.parts.edge_views import loopless_views
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.parts.row_product import SymmetricRows
from ml.nn.sparse import apply_linear

DEFAULT_ORDER = 2


class ChebLayer(ChebConv):  # type: ignore[misc]  # the library is untyped
    """The library's layer, which also takes sparse features.

    Equation: with two for ``lambda_max`` the scaled Laplacian is ``-D^-1/2 W D^-1/2``.
        Clenshaw (1955): ``sum_k T_k(L) Y_k = Y_0 + L B_1 - B_2`` with
        ``B_k = Y_k + 2 L B_(k+1) - B_(k+2)``; with ``Y_k = H W_k`` the matrix acts on the few
        columns that the layer gives instead of the many that it takes.
    Shapes: (N, in) -> (N, out).
    """

    def forward(self, signal: Tensor, matrix: SymmetricRows) -> Tensor:
        """Return the filtered signal."""
        if not signal.is_sparse:
            filtered: Tensor = super().forward(signal, matrix)
            return filtered
        projected = [apply_linear(linear, signal) for linear in self.lins]
        later = last = torch.zeros_like(projected[0])
        for columns in reversed(projected[1:]):
            step = 2 * self.propagate(matrix, last)
            later, last = last, columns + step - later
        step = self.propagate(matrix, last)
        total: Tensor = projected[0] + step - later + self.bias
        return total

    def propagate(self, matrix: SymmetricRows, x: Tensor, **_weights: None) -> Tensor:
        """Return the scaled Laplacian times a signal."""
        return -matrix.apply(x)

    def __norm__(self, matrix: SymmetricRows, *_: Any, **__: Any) -> tuple[SymmetricRows, None]:
        """Leave the matrix, which came normalised; called by the library."""
        return matrix, None


class ChebNetwork(LayeredNetwork):
    """Chebyshev polynomials of the normalised Laplacian, ReLU between layers.

    Equation: Defferrard et al. (2016), ``sum_(k<=K) T_k(2 L / lambda_max - I) H W_k`` with
        ``filter_order`` for K; settings on the citation graphs as in Kipf and Welling (2017).
    Deviation: ``lambda_max`` is its bound 2, as in Kipf and Welling.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: ChebnetSettings, features: int, classes: int) -> None:
        order = DEFAULT_ORDER if config.filter_order is None else config.filter_order
        widths = layer_widths(config, features, classes)
        super().__init__((ChebLayer(*shape, K=order + 1) for shape in widths), config.dropout)


build_network = ChebNetwork
make_views = loopless_views
