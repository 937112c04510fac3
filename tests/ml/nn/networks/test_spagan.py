import pytest
import torch
from torch import Tensor
from torch.nn import functional

from ml.methods.spagan import SpaganSettings
from ml.nn.networks.spagan import PathAttention, SpaganNetwork, Style, make_views
from ml.nn.optimiser import make_adam
from tests.ml.communities import two_communities
from tests.ml.grids import star

CPU = torch.device("cpu")
CONFIG = SpaganSettings(layers=2, width=4, parallel_paths=2, filter_order=2)


def gather_by_node(
    layer: PathAttention, columns: Tensor, node: int, view: list[Tensor], averages: bool
) -> Tensor:
    """The oracle for one head: Eqs. (3) to (6) of the paper, path by path."""
    gathered, merits = [], []
    for table, vector in zip(view, layer.path_vectors[:, 0], strict=True):
        paths = table[:, table[0] == node].T
        found = torch.stack(
            [columns[path].mean(0) if averages else columns[path[1:]].amax(0) for path in paths]
        )
        pairs = torch.cat([columns[node].expand_as(found), found], dim=1)
        shares = functional.softmax(functional.leaky_relu(pairs @ vector, 0.2), dim=0)
        gathered.append(shares @ found)
        pair = torch.cat([columns[node], gathered[-1]])
        merits.append(functional.leaky_relu(pair @ layer.length_vector[0], 0.2))
    return functional.softmax(torch.stack(merits), dim=0) @ torch.stack(gathered)


@pytest.mark.parametrize("averages", [True, False])
def test_a_layer_attends_to_paths_and_then_to_lengths(averages: bool) -> None:
    graph = two_communities(size=6)
    view = make_views(graph, CONFIG, CPU).whole()
    layer = PathAttention((3, 4), heads=1, lengths=2, style=Style(0.0, averages=averages))
    signal = torch.randn(graph.node_count, 3)
    columns = layer.linear(signal)
    expected = [
        gather_by_node(layer, columns, node, view, averages) for node in range(graph.node_count)
    ]
    torch.testing.assert_close(layer(signal, view)[:, 0], torch.stack(expected))


def test_every_node_is_a_path_to_itself_of_every_length() -> None:
    graph = star(4)
    for table in make_views(graph, CONFIG, CPU).whole():
        own = table[:, (table == table[0]).all(0)]
        assert sorted(own[0].tolist()) == list(range(graph.node_count))


def test_gradients_at_chosen_nodes_are_those_of_the_whole_pass() -> None:
    graph = two_communities(size=8)
    view = make_views(graph, CONFIG, CPU).whole()
    network = SpaganNetwork(CONFIG, 2, 2).eval()
    features = torch.from_numpy(graph.features).float()
    nodes = torch.tensor([1, 5, 9])
    parameters = list(network.parameters())
    chosen = torch.autograd.grad(network(features, view, nodes).square().sum(), parameters)
    whole = torch.autograd.grad(network(features, view, None)[nodes].square().sum(), parameters)
    torch.testing.assert_close(chosen, whole)


def test_l2_is_on_all_parameters() -> None:
    network = SpaganNetwork(CONFIG, 5, 3)
    (group,) = make_adam(network, CONFIG).param_groups
    assert len(group["params"]) == len(list(network.parameters()))
