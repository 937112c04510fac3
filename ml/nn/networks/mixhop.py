"""MixHop of Abu-El-Haija et al. (2019) from PyTorch Geometric."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import MixHopConv

from ml.methods.mixhop import MixhopSettings
from ml.nn.kernels.dropout import drop
from ml.nn.parts.edge_views import RowView, normalised_views
from ml.nn.parts.row_product import SymmetricRows, add_by_rows
from ml.nn.sparse import apply_linear

DEFAULT_POWER = 2


class MixHopLayer(MixHopConv):  # type: ignore[misc]  # the library is untyped
    """The library's layer, which also takes sparse features: of those it mixes ``H W_j``.

    Shapes: (N, in) -> (N, powers x out).
    """

    propagate = add_by_rows

    def forward(self, signal: Tensor, matrix: SymmetricRows) -> Tensor:
        """Return the powers side by side."""
        if not signal.is_sparse:
            mixed: Tensor = super().forward(signal, matrix)
            return mixed
        columns = [apply_linear(linear, signal) for linear in self.lins]
        for power in self.powers:
            for _ in range(power):
                columns[power] = self.propagate(matrix, columns[power])
        total: Tensor = torch.cat(columns, dim=1) + self.bias
        return total


class MixHopNetwork(nn.Module):
    """Powers of the adjacency side by side in every layer.

    Equation: Abu-El-Haija et al. (2019), Eq. (4), ``||_(j in P) A'^j H W_j`` with P from 0 to
        ``filter_order``; the output layer mixes the powers by a learned softmax, as there.
    Deviation: ``width`` is split evenly over the powers (the paper prunes columns by a group
        lasso); l2 in place of the lasso.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: MixhopSettings, features: int, classes: int) -> None:
        super().__init__()
        highest = DEFAULT_POWER if config.filter_order is None else config.filter_order
        powers = list(range(highest + 1))
        columns = max(1, config.width // len(powers))
        inputs = [features, *[columns * len(powers)] * (config.layers - 1)]
        self.layers = nn.ModuleList(
            MixHopLayer(count, columns, powers=powers) for count in inputs[:-1]
        )
        self.output = MixHopLayer(inputs[-1], classes, powers=powers)
        self.mixture = nn.Parameter(torch.zeros(len(powers)))
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: RowView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for layer in self.layers:
            signal = drop(signal, self._dropout, training=self.training)
            signal = functional.relu(layer(signal, *view))
        signal = drop(signal, self._dropout, training=self.training)
        powers = self.output(signal, *view).unflatten(1, (len(self.mixture), -1))
        logits = torch.einsum("p,npk->nk", functional.softmax(self.mixture, dim=0), powers)
        return logits if nodes is None else logits[nodes]


build_network = MixHopNetwork
make_views = normalised_views
