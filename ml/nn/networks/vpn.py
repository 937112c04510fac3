"""VPN, the variable power network of Jin et al. (2019), "Power up!", written from its paper."""

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from ml.arrays import SparseMatrix
from ml.graph.graph import Graph
from ml.methods.vpn import VpnSettings
from ml.nn.parts.edge_views import PreparedViews
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.parts.row_product import SymmetricRows, normalise
from ml.nn.sparse import multiply

DEFAULT_POWER = 2

HopView = list[SymmetricRows]
"""One normalised sparse matrix per distance, from 1 to the highest power."""


class PowerLayer(nn.Module):
    """A convolution over all nodes up to a distance, one learned share per distance.

    Equation: Jin et al. (2019), the variable power operator ``sum_k theta_k A^[k]``, where
        ``A^[k]`` links the pairs at distance exactly k and ``A^[0] = I``.
    Deviation: each ``A^[k]`` is normalised by its own degrees (a common normalisation would
        have to be redone at every change of theta); theta starts at one for the node and its
        neighbours and halves with each further step.
    """

    def __init__(self, inputs: int, outputs: int, power: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        start = [1.0, *[0.5**hop for hop in range(power)]]
        self.theta = nn.Parameter(torch.tensor(start))

    def forward(self, signal: Tensor, view: HopView) -> Tensor:
        """Return ``sum_k theta_k A^[k] H W + b``."""
        columns = multiply(signal, self.linear.weight.T)
        total = self.theta[0] * columns
        for hop, matrix in enumerate(view, start=1):
            total = total + self.theta[hop] * matrix.apply(columns)
        return total + self.linear.bias


class VpnNetwork(LayeredNetwork):
    """Power layers with ReLU between them and dropout before each.

    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: VpnSettings, features: int, classes: int) -> None:
        power = highest_power(config)
        widths = layer_widths(config, features, classes)
        super().__init__((PowerLayer(*shape, power) for shape in widths), config.dropout)

    def apply_layer(self, position: int, signal: Tensor, view: HopView) -> Tensor:
        """Apply a layer to the signal over all distances."""
        return super().apply_layer(position, signal, (view,))


def highest_power(config: VpnSettings) -> int:
    """Return the largest distance that a layer covers: ``filter_order``, at least one."""
    return DEFAULT_POWER if config.filter_order is None else max(1, config.filter_order)


def distance_matrices(adjacency: SparseMatrix, power: int) -> list[SparseMatrix]:
    """Link the pairs at distance 1, 2, ... ``power``; weights are one.

    Equation: Jin et al. (2019), ``A^[k]``.
    Shapes: (N, N) symmetric -> ``power`` matrices (N, N), disjoint, zero diagonal.
    """
    count = adjacency.shape[0]
    neighbours = _pattern(adjacency)
    seen = sp.csr_array(sp.eye_array(count)) + neighbours
    matrices = [neighbours]
    for _ in range(power - 1):
        reached = _pattern(matrices[-1] @ neighbours)
        fresh = sp.csr_array(reached - reached.multiply(_pattern(seen)))
        fresh.eliminate_zeros()
        matrices.append(fresh)
        seen = seen + fresh
    return matrices


def _pattern(matrix: SparseMatrix) -> SparseMatrix:
    pattern = sp.csr_array(matrix, copy=True)
    pattern.data = np.ones_like(pattern.data)
    return pattern


def make_views(graph: Graph, config: VpnSettings, device: torch.device) -> PreparedViews[HopView]:
    """Return one matrix per distance."""

    def prepare(adjacency: SparseMatrix) -> HopView:
        return [
            SymmetricRows(normalise(hops, self_loops=False), device)
            for hops in distance_matrices(adjacency, highest_power(config))
        ]

    return PreparedViews(graph, prepare)


build_network = VpnNetwork
