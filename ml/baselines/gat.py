"""GAT of Veličković et al. (2018) from PyTorch Geometric."""

from typing import Any

from torch import Tensor
from torch.nn import functional
from torch_geometric.nn import GATConv

from ml.baselines.edge_views import EdgeView, raw_edge_views
from ml.baselines.layered import LayeredNetwork
from ml.config import TrainingConfig

PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 8,
    "branches": 8,
    "dropout": 0.6,
    "learning_rate": 0.005,
    "weight_decay": 5e-4,
}


class GatNetwork(LayeredNetwork):
    """Attention over neighbours and the node itself in ``branches`` heads of ``width`` columns.

    Equation: Veličković et al. (2018), Eqs. (1) to (6), ELU between layers, one head on top.
    Deviation: edge weights are not seen, as in the paper.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    activation = staticmethod(functional.elu)

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        inputs = [features, *[config.width * config.branches] * (config.layers - 1)]
        shared = {"dropout": config.dropout}
        hidden = [
            GATConv(columns, config.width, heads=config.branches, **shared)
            for columns in inputs[:-1]
        ]
        output = GATConv(inputs[-1], classes, heads=1, concat=False, **shared)
        super().__init__([*hidden, output], config.dropout)

    def apply_layer(self, position: int, signal: Tensor, view: EdgeView) -> Tensor:
        """Return what attention makes of the signal; it sees no weights."""
        return super().apply_layer(position, signal, view[:1])


build_network = GatNetwork
make_views = raw_edge_views
