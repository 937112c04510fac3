"""ChebNet of Defferrard et al. (2016) from PyTorch Geometric."""

from typing import Any

from torch_geometric.nn import ChebConv

from ml.baselines.edge_views import raw_edge_views
from ml.baselines.layered import LayeredNetwork, layer_widths
from ml.config import TrainingConfig

DEFAULT_ORDER = 2
PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 16,
    "filter_order": DEFAULT_ORDER,
    "dropout": 0.5,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class ChebNetwork(LayeredNetwork):
    """Chebyshev polynomials of the normalised Laplacian, ReLU between layers.

    Equation: Defferrard et al. (2016), ``sum_(k<=K) T_k(2 L / lambda_max - I) H W_k`` with
        ``filter_order`` for K; settings on the citation graphs as in Kipf and Welling (2017).
    Deviation: ``lambda_max`` is its bound 2, as in Kipf and Welling.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    takes_sparse = False

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        order = DEFAULT_ORDER if config.filter_order is None else config.filter_order
        widths = layer_widths(config, features, classes)
        super().__init__((ChebConv(*shape, K=order + 1) for shape in widths), config.dropout)


build_network = ChebNetwork
make_views = raw_edge_views
