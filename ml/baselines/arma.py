"""ARMA of Bianchi et al. (2019) from PyTorch Geometric."""

from typing import Any

from torch import nn
from torch_geometric.nn import ARMAConv

from ml.baselines.edge_views import raw_edge_views
from ml.baselines.layered import LayeredNetwork, layer_widths
from ml.config import TrainingConfig

DEFAULT_DEPTH = 1
PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 16,
    "branches": 2,
    "filter_order": DEFAULT_DEPTH,
    "dropout": 0.75,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class ArmaNetwork(LayeredNetwork):
    """Parallel stacks of recursive filters with shared weights, averaged.

    Equation: Bianchi et al. (2019), ``X_(t+1) = relu(M X_t W + X_0 V)`` run ``filter_order``
        times in each of ``branches`` stacks, ``M = D^-1/2 W D^-1/2``.
    Deviation: dropout on the skip branch is a quarter, as in the library's example.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    activation = nn.Identity()
    takes_sparse = False

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        depth = DEFAULT_DEPTH if config.filter_order is None else max(1, config.filter_order)
        layers = (
            ARMAConv(
                *shape,
                num_stacks=config.branches,
                num_layers=depth,
                shared_weights=True,
                act=None if position == config.layers - 1 else nn.ReLU(),
                dropout=0.25 if config.dropout else 0.0,
            )
            for position, shape in enumerate(layer_widths(config, features, classes))
        )
        super().__init__(layers, config.dropout)


build_network = ArmaNetwork
make_views = raw_edge_views
