import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import Tensor
from torch_geometric.nn import APPNP, ARMAConv, ChebConv, GCNConv, MixHopConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from ml.arrays import SparseMatrix
from ml.nn.networks.appnp import Propagation
from ml.nn.networks.arma import ArmaLayer
from ml.nn.networks.chebnet import ChebLayer
from ml.nn.networks.gcn import GcnLayer
from ml.nn.networks.mixhop import MixHopLayer
from ml.nn.parts.row_product import SymmetricRows, normalise

CPU = torch.device("cpu")


def weighted_graph(nodes: int = 9) -> SparseMatrix:
    """Return symmetric weights between some nodes; the last node has no neighbour."""
    generator = np.random.default_rng(1)
    upper = np.triu(generator.random((nodes, nodes)) * (generator.random((nodes, nodes)) < 0.4), 1)
    upper[:, -1] = 0
    return sp.csr_array(upper + upper.T)


def edges_of(matrix: SparseMatrix) -> tuple[Tensor, Tensor]:
    entries = matrix.tocoo()
    index = np.stack([entries.row, entries.col]).astype(np.int64)
    return torch.from_numpy(index), torch.from_numpy(entries.data).float()


@pytest.mark.parametrize("self_loops", [True, False])
def test_the_normalisation_is_the_librarys(self_loops: bool) -> None:
    graph = weighted_graph()
    index, weights = gcn_norm(*edges_of(graph), graph.shape[0], add_self_loops=self_loops)
    theirs = sp.coo_array((weights, index.numpy()), shape=graph.shape).toarray()
    np.testing.assert_allclose(normalise(graph, self_loops=self_loops).toarray(), theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("ours", "theirs", "self_loops"),
    [
        (GcnLayer(4, 3, normalize=False), GCNConv(4, 3), True),
        (MixHopLayer(4, 3, powers=[0, 1, 2]), MixHopConv(4, 3, powers=[0, 1, 2]), True),
        (Propagation(K=5, alpha=0.2, normalize=False), APPNP(K=5, alpha=0.2), True),
        (ArmaLayer(4, 3, num_stacks=2), ARMAConv(4, 3, num_stacks=2), False),
        (ChebLayer(4, 3, K=4), ChebConv(4, 3, K=4), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_layer_gives_what_the_librarys_own_gives_with_its_gradient(
    ours: torch.nn.Module, theirs: torch.nn.Module, self_loops: bool
) -> None:
    graph = weighted_graph()
    ours.load_state_dict(theirs.state_dict())
    matrix = SymmetricRows(normalise(graph, self_loops=self_loops), CPU)
    signals = [torch.linspace(-1, 1, 36).view(9, 4).requires_grad_() for _ in range(2)]
    results = [ours(signals[0], matrix), theirs(signals[1], *edges_of(graph))]
    torch.testing.assert_close(*results)
    for result in results:
        result.square().sum().backward()
    torch.testing.assert_close(signals[0].grad, signals[1].grad)


def test_stacks_of_signals_are_multiplied_one_by_one() -> None:
    matrix = SymmetricRows(weighted_graph(), CPU)
    stacks = torch.linspace(0, 1, 54).view(2, 9, 3)
    expected = torch.stack([matrix.apply(stack) for stack in stacks])
    torch.testing.assert_close(matrix.apply(stacks), expected)
