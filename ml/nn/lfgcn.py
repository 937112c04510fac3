"""LFGCN, the network of the paper, as a torch module."""

import torch
from torch import Tensor, nn

from ml.config.levy import LfgcnSettings
from ml.graph.graph import Graph
from ml.methods.levy_layers import layer_shapes
from ml.nn.filters.base import LevyFilter
from ml.nn.kernels.dropout import drop
from ml.nn.layers import LevyLayer
from ml.nn.views import LevyViews


class LevyNetwork(nn.Module):
    """Lévy-flight graph convolutional network: dropout and a convolution, repeated.

    Equation: Fig. 1 and Eq. (FGS_convolutional_layer); Sec. IV "dropout layer before two
        graph convolutional layers".
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: LfgcnSettings, features: int, classes: int) -> None:
        super().__init__()
        shapes = layer_shapes(config, features, classes)
        self.layers = nn.ModuleList(LevyLayer(shape) for shape in shapes)
        self._dropout = config.dropout
        self._filters_features = shapes[0].filters_first

    def forward(self, features: Tensor, view: LevyFilter, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        drops = self.training and self._dropout > 0
        signal = features
        last = len(self.layers) - 1
        for position, layer in enumerate(self.layers):
            signal = drop(signal, self._dropout, training=drops)
            wanted = nodes if position == last else None
            constant = position == 0 and not drops
            signal = layer(signal, view, wanted, constant=constant)
        return signal

    def prepare_view(self, features: Tensor, view: LevyFilter) -> None:
        """Filter the features ahead of an epoch, if dropout does not change them first."""
        if not self._dropout and self._filters_features:
            with torch.no_grad():
                view.apply_to_constant(features)


def build_network(config: LfgcnSettings, features: int, classes: int) -> nn.Module:
    """Return an LFGCN with freshly drawn weights."""
    return LevyNetwork(config, features, classes)


def make_views(graph: Graph, config: LfgcnSettings, device: torch.device) -> LevyViews:
    """Return the filters of the graph, whole and censored."""
    return LevyViews(graph, config, device)
