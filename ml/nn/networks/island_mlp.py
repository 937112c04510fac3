"""The limit of the Lévy filter as gamma goes to zero: a perceptron and the mean of its island."""

import torch
from torch import Tensor, nn

from ml.arrays import SparseMatrix
from ml.graph.graph import Graph, islands_of
from ml.methods.island_mlp import IslandMlpSettings
from ml.nn.parts.edge_views import PreparedViews
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.sparse import apply_linear


class IslandView:
    """Which island each node is on, and how large it is. Shapes: (N,), (I, 1)."""

    def __init__(self, adjacency: SparseMatrix, device: torch.device) -> None:
        self._island = torch.from_numpy(islands_of(adjacency)).to(device)
        self._sizes = torch.bincount(self._island).unsqueeze(1)

    def mean(self, signal: Tensor) -> Tensor:
        """Return for each node the mean over its island. Shapes: (N, C) -> (N, C)."""
        totals = signal.new_zeros(len(self._sizes), signal.shape[1])
        totals = totals.index_add(0, self._island, signal)
        return (totals / self._sizes)[self._island]


class IslandNetwork(LayeredNetwork):
    """Layers ``H W_s + mean(H) W``: the island of a node is the only information from the graph.

    Equation: Sec. III-B with ``gamma -> 0``: ``L^g -> I - P0`` with ``P0`` the mean over the
        island, so ``Lt`` jumps to all nodes of the island with equal probability.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: IslandMlpSettings, features: int, classes: int) -> None:
        widths = layer_widths(config, features, classes)
        super().__init__((nn.Linear(*shape) for shape in widths), config.dropout)
        self.means = nn.ModuleList(nn.Linear(*shape, bias=False) for shape in widths)

    def apply_layer(self, position: int, signal: Tensor, view: IslandView) -> Tensor:
        """Return the layers of the node and of its island's mean, added."""
        if signal.is_sparse:
            mean = view.mean(apply_linear(self.means[position], signal))
        else:
            mean = self.means[position](view.mean(signal))
        return apply_linear(self.layers[position], signal) + mean


def make_views(
    graph: Graph, _config: IslandMlpSettings, device: torch.device
) -> PreparedViews[IslandView]:
    """Return the islands; edges matter only where they hold one together."""
    return PreparedViews(graph, lambda adjacency: IslandView(adjacency, device))


build_network = IslandNetwork
