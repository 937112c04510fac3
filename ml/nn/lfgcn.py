"""LFGCN as a torch module, and the filters it is trained with."""

from collections import OrderedDict

import numpy as np
import torch
from torch import Tensor, nn

from ml.arrays import IntArray
from ml.config.levy import LfgcnSettings
from ml.graph.graph import Graph
from ml.levy.build import LevyFamily
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix, filter_signal
from ml.levy.interface import LevyOperator
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.levy.sparse import SparseLevyOperator
from ml.methods.levy_layers import layer_shapes
from ml.nn.dropout import drop
from ml.nn.filters.corrected import CorrectedFilter, StoredWalk
from ml.nn.filters.operator_filter import DenseFilter, LevyFilter, OperatorFilter
from ml.nn.filters.walk import WalkFilter
from ml.nn.layers import LevyLayer
from ml.nn.sparse_rows import multiplies_sparse

MATRIX_NODES = 4096
"""Up to this many nodes the filter of the whole graph, which serves many epochs, is a matrix."""
ORDINARY_NODES = 1000
"""The same for gamma one, whose operator is as sparse as the graph."""
KEPT_FILTER_BYTES = 256 * 2**20
"""How much memory the filters of censored graphs may take before the oldest goes."""


class LevyNetwork(nn.Module):
    """Lévy-flight graph convolutional network: dropout and a layer, as often as asked.

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
        """Filter the features ahead of an epoch, if all epochs see them as they are."""
        if not self._dropout and self._filters_features:
            with torch.no_grad():
                view.apply_to_constant(features)


class LevyViews:
    """The filter of the whole graph and of censored graphs, the latter kept while memory lasts.

    Cost: P-DropEdge on a small grid draws few distinct sets of edges, so most epochs meet a
        filter that is already there.
    """

    def __init__(self, graph: Graph, config: LfgcnSettings, device: torch.device) -> None:
        self._settings = (config.alpha, config.taylor_order, config.filter_method)
        self._device = device
        self._family = LevyFamily(graph.adjacency, config.gamma, config.sigma, config.operator)
        self._capacity = max(1, KEPT_FILTER_BYTES // (4 * graph.node_count**2))
        self._kept: OrderedDict[bytes, LevyFilter] = OrderedDict()
        self._walk: StoredWalk | None = None
        self._whole = self._lasting_filter_of(self._family.whole())

    def whole(self) -> LevyFilter:
        """Return the filter of the graph as it is."""
        return self._whole

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of ``pairs``, (m, 2), at every epoch."""
        self._family.expect(pairs)

    def censored(self, pairs: IntArray) -> LevyFilter:
        """Return the filter of the graph without ``pairs``, (k, 2)."""
        key = np.unique(pairs, axis=0).tobytes()
        if key not in self._kept:
            self._kept[key] = self._filter_of(self._family.censored(pairs))
        self._kept.move_to_end(key)
        if len(self._kept) > self._capacity:
            self._kept.popitem(last=False)
        return self._kept[key]

    def _lasting_filter_of(self, operator: LevyOperator) -> LevyFilter:
        stays_sparse = isinstance(operator, OrdinaryWalkOperator)
        limit = ORDINARY_NODES if stays_sparse else MATRIX_NODES
        if isinstance(operator, DenseLevyOperator) or operator.node_count > limit:
            return self._filter_of(operator, lasting=True)
        identity = np.eye(operator.node_count)
        return DenseFilter(filter_signal(operator, identity, *self._settings), self._device)

    def _filter_of(self, operator: LevyOperator, *, lasting: bool = False) -> LevyFilter:
        if isinstance(operator, DenseLevyOperator):
            return DenseFilter(filter_matrix(operator.matrix, *self._settings), self._device)
        alpha, order, method = self._settings
        if isinstance(operator, CorrectedLevyOperator) and method == "taylor":
            if self._walk is None and operator.whole is not None:
                self._walk = StoredWalk(operator.whole, self._device)
            if self._walk is not None:
                return CorrectedFilter(operator, self._walk, alpha, order)
        stays_in_torch = method == "taylor" and multiplies_sparse(self._device)
        if isinstance(operator, OrdinaryWalkOperator) and stays_in_torch:
            return WalkFilter(operator, alpha, order, self._device)
        keeps = lasting and isinstance(operator, SparseLevyOperator)
        return OperatorFilter(operator, *self._settings, keeps_constants=keeps)


def build_network(config: LfgcnSettings, features: int, classes: int) -> nn.Module:
    """Return an LFGCN with freshly drawn weights."""
    return LevyNetwork(config, features, classes)


def make_views(graph: Graph, config: LfgcnSettings, device: torch.device) -> LevyViews:
    """Return the filters LFGCN sees the graph through."""
    return LevyViews(graph, config, device)
