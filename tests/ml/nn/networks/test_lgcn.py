import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.graph.graph import Graph
from ml.methods.lgcn import LgcnSettings
from ml.nn.networks.lgcn import (
    LARGEST,
    MOST_NEIGHBOURS,
    LearnableLayer,
    largest_values,
    make_views,
    neighbour_tables,
    unroll,
)
from tests.ml.grids import make_graph, star, tangle

CPU = torch.device("cpu")
CONFIG = LgcnSettings()


def grid_by_node(signal: Tensor, graph: Graph) -> Tensor:
    """The oracle: one node after the other, its columns sorted by themselves."""
    grid = torch.zeros(len(signal), LARGEST + 1, signal.shape[1])
    grid[:, 0] = signal
    for node in range(len(signal)):
        row = graph.adjacency.indices[graph.adjacency.indptr[node] :][
            : np.diff(graph.adjacency.indptr)[node]
        ]
        kept = signal[torch.from_numpy(row).long()].sort(dim=0, descending=True).values[:LARGEST]
        grid[node, 1 : 1 + len(kept)] = kept
    return grid


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 64])
def test_each_column_ranks_the_neighbours_by_itself(width: int) -> None:
    rows = torch.randn(width, 5, 3, generator=torch.Generator().manual_seed(width))
    kept = largest_values(rows, torch.zeros(width, 5, 1, dtype=torch.bool))
    expected = rows.sort(dim=0, descending=True).values[:LARGEST]
    torch.testing.assert_close(kept, expected, rtol=0, atol=0)


def test_missing_neighbours_come_last_even_below_negative_values() -> None:
    rows = torch.tensor([0.0, -2.0, 0.0, -1.0]).view(4, 1, 1)
    absent = torch.tensor([True, False, True, False]).view(4, 1, 1)
    assert largest_values(rows, absent).flatten().tolist() == [-1.0, -2.0, 0.0, 0.0]


def test_the_gradient_of_a_value_goes_where_it_came_from() -> None:
    rows = torch.tensor([1.0, 4.0, 3.0, 2.0]).view(4, 1, 1).requires_grad_()
    kept = largest_values(rows, torch.zeros(4, 1, 1, dtype=torch.bool)).flatten()
    (kept * torch.tensor([10.0, 20.0, 30.0, 40.0])).sum().backward()  # type: ignore[no-untyped-call]  # torch
    assert rows.grad is not None
    assert rows.grad.flatten().tolist() == [40.0, 10.0, 20.0, 30.0]


def test_an_unrolled_convolution_is_the_convolution() -> None:
    convolution = nn.Conv1d(3, 4, kernel_size=5, bias=False)
    grid = torch.randn(6, 9, 3)
    product = (grid.flatten(1) @ unroll(convolution, 9)).view(6, 5, 4)
    torch.testing.assert_close(product, convolution(grid.transpose(1, 2)).transpose(1, 2))


def test_the_layer_is_two_convolutions_over_every_nodes_grid() -> None:
    graph = tangle(30, 20)
    signal = torch.randn(graph.node_count, 6)
    layer = LearnableLayer(6, 2, dropout=0.0)
    grid = grid_by_node(signal, graph).transpose(1, 2)
    expected = layer.norm(layer.close(functional.relu(layer.narrow(grid))).squeeze(2))
    found = layer(signal, make_views(graph, CONFIG, CPU).whole())
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_nodes_of_like_degree_share_a_table() -> None:
    narrow, wide = neighbour_tables(star(11).adjacency, CPU)
    assert narrow.tolist() == [list(range(1, 12)), [0] * 11]
    assert wide[0].tolist() == [0]
    assert sorted(wide[1:, 0].tolist()) == [*range(1, 12), *[12] * 5]


def test_a_node_without_neighbours_is_in_a_table_too() -> None:
    (table,) = neighbour_tables(make_graph([(0, 1)], 3).adjacency, CPU)
    assert table.tolist() == [[0, 1, 2], [1, 0, 3]]


def test_a_hub_keeps_its_heaviest_neighbours() -> None:
    adjacency = star(MOST_NEIGHBOURS + 6).adjacency.copy()
    row = slice(adjacency.indptr[0], adjacency.indptr[1])
    adjacency.data[row] = np.arange(1, MOST_NEIGHBOURS + 7)
    hub = neighbour_tables(adjacency, CPU)[-1]
    assert sorted(hub[1:, 0].tolist()) == list(range(7, MOST_NEIGHBOURS + 7))
