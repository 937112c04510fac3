"""APPNP of Klicpera et al. (2019) from PyTorch Geometric."""

from torch import Tensor, nn
from torch_geometric.nn import APPNP

from ml.methods.appnp import AppnpSettings
from ml.nn.networks.mlp import MlpNetwork
from ml.nn.parts.edge_views import RowView, normalised_views
from ml.nn.parts.row_product import add_by_rows

DEFAULT_STEPS = 10


class Propagation(APPNP):  # type: ignore[misc]  # the library is untyped
    """The library's layer, whose steps are products by compressed rows."""

    propagate = add_by_rows


class AppnpNetwork(nn.Module):
    """A perceptron whose predictions are spread by personalised PageRank.

    Equation: Klicpera et al. (2019), ``Z_(k+1) = a A' Z_k + (1 - a) H`` for ``filter_order``
        steps; ``alpha`` is the share of the graph as everywhere here, one minus the paper's
        teleport probability.
    Deviation: no dropout on the edges.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: AppnpSettings, features: int, classes: int) -> None:
        super().__init__()
        steps = DEFAULT_STEPS if config.filter_order is None else config.filter_order
        self.perceptron = MlpNetwork(config, features, classes)
        self.propagation = Propagation(K=steps, alpha=1 - config.alpha, normalize=False)

    @property
    def regularised(self) -> list[nn.Parameter]:
        """The parameters with weight decay: only the first kernel, as published."""
        return [next(self.perceptron.parameters())]

    def forward(self, features: Tensor, view: RowView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        spread: Tensor = self.propagation(self.perceptron(features, None, None), *view)
        return spread if nodes is None else spread[nodes]


build_network = AppnpNetwork
make_views = normalised_views
