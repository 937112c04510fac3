"""SPAGAN of Yang et al. (2019), shortest path graph attention, written from its paper."""

from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.utils import softmax

from ml.arrays import SparseMatrix
from ml.graph.graph import Graph
from ml.methods.spagan import SpaganSettings
from ml.nn.kernels.dropout import drop
from ml.nn.parts.edge_views import PreparedViews
from ml.nn.parts.shortest_paths import short_paths
from ml.nn.sparse import apply_linear

DEFAULT_LENGTH = 2
GAIN = 1.414
"""Of the normal Glorot draws in the authors' program."""

PathView = list[Tensor]
"""One table of paths a length c: (c + 1, P_c) node positions, from start to end."""


@dataclass(frozen=True)
class Style:
    """Options of all layers: dropout, and whether the nodes of a path are averaged."""

    dropout: float
    averages: bool


class PathAttention(nn.Module):
    """Attention over the paths of each length, then over the lengths.

    Equation: Yang et al. (2019), Eqs. (3) to (6), on ``h = x W + b``: a path's score is
        ``LeakyReLU(a_c . [h_i, f_p])``, its share a softmax over the paths of length c from i;
        what i gathers by length c scores ``LeakyReLU(l . [h_i, g_c])``, softmax over c.
    Deviation: a path's feature ``f_p`` is the maximum over its nodes without the start, as in
        the authors' program, or with ``averages`` the mean over all, as in the paper. ``b``
        starts at zero:
        with their normal draws accuracy on Cora's validation nodes fell from 80 to 58 %, likely
        because patience counts from the first epoch here, from the 500th there.
    Shapes: (N, in) -> (N, heads, out); zeros at nodes that start no path.
    """

    def __init__(self, shape: tuple[int, int], heads: int, lengths: int, style: Style) -> None:
        super().__init__()
        inputs, outputs = shape
        self.linear = nn.Linear(inputs, heads * outputs)
        for block in self.linear.weight.data.chunk(heads):
            nn.init.xavier_normal_(block, gain=GAIN)
        nn.init.zeros_(self.linear.bias)
        self.path_vectors = nn.Parameter(_draw_vectors(lengths, heads, 2 * outputs))
        self.length_vector = nn.Parameter(_draw_vectors(heads, 2 * outputs))
        self._shape = (heads, outputs)
        self._style = style

    def forward(self, signal: Tensor, view: PathView) -> Tensor:
        """Return the signal that each node gathers along its paths."""
        columns = apply_linear(self.linear, signal).view(-1, *self._shape)
        gathered = [
            self._gather(columns, paths, vectors)
            for paths, vectors in zip(view, self.path_vectors, strict=True)
        ]
        own, found = self.length_vector.chunk(2, dim=-1)
        merit = torch.stack([((columns * own) + (one * found)).sum(-1) for one in gathered])
        shares = functional.softmax(functional.leaky_relu(merit, 0.2), dim=0).unsqueeze(-1)
        return (shares * torch.stack(gathered)).sum(0)

    def _gather(self, columns: Tensor, paths: Tensor, vectors: Tensor) -> Tensor:
        own, found = vectors.chunk(2, dim=-1)
        start = paths[0]
        feature = self._join(columns, paths)
        score = (columns * own).sum(-1).index_select(0, start) + (feature * found).sum(-1)
        share = softmax(functional.leaky_relu(score, 0.2), start, num_nodes=len(columns))
        share = drop(share, self._style.dropout, training=self.training)
        return torch.zeros_like(columns).index_add(0, start, share.unsqueeze(-1) * feature)

    def _join(self, columns: Tensor, paths: Tensor) -> Tensor:
        """Return the feature of each path, (P, heads, out)."""
        if self._style.averages:
            along = [columns.index_select(0, step) for step in paths]
            return torch.stack(along).mean(0)
        return reduce(torch.maximum, (columns.index_select(0, step) for step in paths[1:]))


def _draw_vectors(*shape: int) -> Tensor:
    """Draw each vector by itself, as a matrix of one row: Glorot with fans 1 and its length."""
    deviation: float = GAIN * (2 / (1 + shape[-1])) ** 0.5
    return torch.randn(shape) * deviation


class SpaganNetwork(nn.Module):
    """Path attention in ``parallel_paths`` heads; the output layer sees direct neighbours only.

    Equation: Yang et al. (2019), Sec. 4.2: long paths in the first layer, length one on top.
        l2 on all parameters is the authors' program's; so is ELU after the output too, unless
        ``pooling`` is ``average``, which is the paper's own reading.
    Deviation: no GAT is trained first, because its attention is not used: see ``short_paths``.
    Cost: only paths that the chosen nodes' logits depend on are followed.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: SpaganSettings, features: int, classes: int) -> None:
        super().__init__()
        hidden, lengths = config.width * config.parallel_paths, _longest(config)
        style = Style(config.dropout, averages=config.pooling == "average")
        inputs = [features, *[hidden] * (config.layers - 1)]
        self.layers = nn.ModuleList(
            PathAttention((columns, config.width), config.parallel_paths, lengths, style)
            for columns in inputs[:-1]
        )
        self.output = PathAttention((inputs[-1], classes), 1, 1, style)
        self._style = style

    @property
    def regularised(self) -> list[nn.Parameter]:
        """The parameters with weight decay: all of them."""
        return list(self.parameters())

    def forward(self, features: Tensor, view: PathView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        *inner, last = self._views_by_layer(view, features.shape[0], nodes)
        signal = features
        for layer, paths in zip(self.layers, inner, strict=True):
            signal = drop(signal, self._style.dropout, training=self.training)
            signal = functional.elu(layer(signal, paths).flatten(1))
        signal = drop(signal, self._style.dropout, training=self.training)
        logits: Tensor = self.output(signal, last)[:, 0]
        if not self._style.averages:
            logits = functional.elu(logits)
        return logits if nodes is None else logits[nodes]

    def _views_by_layer(self, view: PathView, count: int, nodes: Tensor | None) -> list[PathView]:
        """Return for each layer the paths from nodes whose values the next one reads."""
        if nodes is None:
            return [view] * len(self.layers) + [view[:1]]
        wanted = torch.zeros(count, dtype=torch.bool, device=nodes.device)
        wanted[nodes] = True
        views: list[PathView] = []
        for tables in (view[:1], *[view] * len(self.layers)):
            kept = [table[:, wanted[table[0]]] for table in tables]
            for table in kept:
                wanted[table] = True
            views.insert(0, kept)
        return views


def _longest(config: SpaganSettings) -> int:
    return DEFAULT_LENGTH if config.filter_order is None else max(1, config.filter_order)


def build_network(config: SpaganSettings, features: int, classes: int) -> nn.Module:
    """Return a SPAGAN with freshly drawn weights."""
    return SpaganNetwork(config, features, classes)


def make_views(
    graph: Graph, config: SpaganSettings, device: torch.device
) -> PreparedViews[PathView]:
    """Return the paths of each length; each node is also a path to itself among them all."""
    own = torch.arange(graph.node_count)

    def prepare(adjacency: SparseMatrix) -> PathView:
        tables = (torch.from_numpy(table).T for table in short_paths(adjacency, _longest(config)))
        whole = (torch.cat([table, own.expand(len(table), -1)], dim=1) for table in tables)
        return [table.contiguous().to(device) for table in whole]

    return PreparedViews(graph, prepare)
