"""SPAGAN of Yang et al. (2019), shortest path graph attention, written from its paper."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.utils import softmax

from ml.arrays import SparseMatrix
from ml.baselines.edge_views import PreparedViews
from ml.baselines.shortest_paths import short_paths
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.feature_matrix import apply_linear
from ml.graph import Graph

DEFAULT_LENGTH = 2
PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 8,
    "branches": 8,
    "filter_order": DEFAULT_LENGTH,
    "dropout": 0.6,
    "learning_rate": 0.005,
    "weight_decay": 5e-4,
}

PathView = list[Tensor]
"""One table of paths a length: (P_c, c + 1) node positions, self-paths among the first."""


class PathAttention(nn.Module):
    """Attention over the paths of each length, then over the lengths.

    Equation: Yang et al. (2019), Eqs. (3) to (6): a path's feature is the mean over its nodes;
        ``a_c(i, p)`` is a softmax over the paths of length c from i; ``b_c(i)`` one over c.
    Deviation: a node with no path of a length gives that length no weight.
    Shapes: (N, in) -> (N, heads, out).
    """

    def __init__(self, inputs: int, outputs: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, heads * outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(heads, outputs))
        self.path_query = _attention(heads, outputs)
        self.path_key = _attention(heads, outputs)
        self.length_query = _attention(heads, outputs)
        self.length_key = _attention(heads, outputs)
        self._shape = (heads, outputs)
        self._dropout = dropout

    def forward(self, signal: Tensor, view: PathView) -> Tensor:
        """Return what each node gathers along its paths."""
        columns = apply_linear(self.linear, signal).view(-1, *self._shape)
        gathered, scores = zip(*(self._gather(columns, paths) for paths in view), strict=True)
        shares = functional.softmax(torch.stack(scores), dim=0).unsqueeze(-1)
        return (shares * torch.stack(gathered)).sum(0) + self.bias

    def _gather(self, columns: Tensor, paths: Tensor) -> tuple[Tensor, Tensor]:
        start = paths[:, 0]
        feature = columns[paths].mean(1)
        score = (columns * self.path_query).sum(-1)[start] + (feature * self.path_key).sum(-1)
        share = softmax(functional.leaky_relu(score, 0.2), start, num_nodes=len(columns))
        share = drop(share, self._dropout, training=self.training)
        total = torch.zeros_like(columns).index_add(0, start, share.unsqueeze(-1) * feature)
        merit = (columns * self.length_query).sum(-1) + (total * self.length_key).sum(-1)
        absent = torch.ones(len(columns), dtype=torch.bool, device=columns.device)
        absent[start] = False
        merit = functional.leaky_relu(merit, 0.2).masked_fill(absent.unsqueeze(1), -1e9)
        return total, merit


def _attention(heads: int, columns: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, columns)))


class SpaganNetwork(nn.Module):
    """Path attention in ``branches`` heads; the output layer sees direct neighbours only.

    Equation: Yang et al. (2019), Sec. 4.2: long paths in the first layer, length one on top.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        hidden = config.width * config.branches
        inputs = [features, *[hidden] * (config.layers - 1)]
        self.layers = nn.ModuleList(
            PathAttention(columns, config.width, config.branches, config.dropout)
            for columns in inputs[:-1]
        )
        self.output = PathAttention(inputs[-1], classes, 1, config.dropout)
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: PathView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for layer in self.layers:
            signal = drop(signal, self._dropout, training=self.training)
            signal = functional.elu(layer(signal, view).flatten(1))
        signal = drop(signal, self._dropout, training=self.training)
        logits: Tensor = self.output(signal, view[:1])[:, 0]
        return logits if nodes is None else logits[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return a SPAGAN with freshly drawn weights."""
    return SpaganNetwork(config, features, classes)


def make_views(
    graph: Graph, config: TrainingConfig, device: torch.device
) -> PreparedViews[PathView]:
    """Return the paths of each length; each node is also a path to itself among the first."""
    longest = DEFAULT_LENGTH if config.filter_order is None else max(1, config.filter_order)
    own = torch.arange(graph.node_count).unsqueeze(1).expand(-1, 2)

    def prepare(adjacency: SparseMatrix) -> PathView:
        tables = [torch.from_numpy(table) for table in short_paths(adjacency, longest)]
        tables[0] = torch.cat([tables[0], own])
        return [table.to(device) for table in tables if len(table)]

    return PreparedViews(graph, prepare)
