"""ARMA of Bianchi et al. (2019) from PyTorch Geometric."""

import torch
from torch import Tensor, nn
from torch_geometric.nn import ARMAConv

from ml.methods.arma import ArmaSettings
from ml.nn.kernels.dropout import drop
from ml.nn.parts.edge_views import loopless_views
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.parts.row_product import SymmetricRows, add_by_rows
from ml.nn.sparse import multiply

DEFAULT_DEPTH = 1


class ArmaLayer(ARMAConv):  # type: ignore[misc]  # the library is untyped
    """The library's layer with weights shared by all steps, which also takes sparse features.

    Shapes: (N, in) -> (N, out).
    """

    propagate = add_by_rows

    def forward(self, signal: Tensor, matrix: SymmetricRows) -> Tensor:
        """Return the mean of the stacks."""
        if not signal.is_sparse:
            filtered: Tensor = super().forward(signal, matrix)
            return filtered
        state: Tensor = _project(signal, self.init_weight)
        for step in range(self.num_layers):
            state = state if step == 0 else state @ self.weight[0]
            root = drop(signal, self.dropout, training=self.training)
            state = self.propagate(matrix, state)
            state = state + _project(root, self.root_weight[0]) + self.bias[0]
            state = state if self.act is None else self.act(state)
        return state.mean(dim=0)


def _project(signal: Tensor, weights: Tensor) -> Tensor:
    """Return a sparse (N, in) times each of (S, in, out), as (S, N, out)."""
    return torch.stack([multiply(signal, weight) for weight in weights])


class ArmaNetwork(LayeredNetwork):
    """Parallel stacks of recursive filters with shared weights, averaged.

    Equation: Bianchi et al. (2019), ``X_(t+1) = relu(M X_t W + X_0 V)`` run ``filter_order``
        times in each of ``parallel_paths`` stacks, ``M = D^-1/2 W D^-1/2``.
    Deviation: dropout on the skip path is a quarter, as in the library's example.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    activation = nn.Identity()

    def __init__(self, config: ArmaSettings, features: int, classes: int) -> None:
        depth = DEFAULT_DEPTH if config.filter_order is None else max(1, config.filter_order)
        layers = (
            ArmaLayer(
                *shape,
                num_stacks=config.parallel_paths,
                num_layers=depth,
                shared_weights=True,
                act=None if position == config.layers - 1 else nn.ReLU(),
                dropout=0.25 if config.dropout else 0.0,
            )
            for position, shape in enumerate(layer_widths(config, features, classes))
        )
        super().__init__(layers, config.dropout)


build_network = ArmaNetwork
make_views = loopless_views
