import dataclasses

import numpy as np
import torch
from torch import Tensor

from ml.config.levy import LfgcnPlusSettings, LfgcnSettings
from ml.levy.closed_forms import label_matrix
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix
from ml.methods.levy_layers import layer_shapes
from ml.methods.registry import make_config
from ml.nn.lfgcn import LevyNetwork, LevyViews
from ml.nn.lfgcn_plus import PlusNetwork, make_views
from tests.ml.communities import split_of, two_communities

GRAPH = two_communities(size=10)
SPLIT = split_of(GRAPH)
CONFIG = LfgcnPlusSettings(width=4, parallel_paths=2, members=2, device="cpu", drop_edge="none")


def inputs(flipped: int | None = None) -> Tensor:
    """Features and training labels, the label of one node flipped if asked for."""
    labels = label_matrix(GRAPH, SPLIT.train)
    if flipped is not None:
        labels[flipped] = labels[flipped][::-1]
    return torch.from_numpy(np.concatenate([GRAPH.features, labels], axis=1)).float()


def logits_in_training(features: Tensor, network: PlusNetwork, seed: int) -> Tensor:
    view = make_views(GRAPH, CONFIG, torch.device("cpu")).whole()
    torch.manual_seed(seed)
    network.train()
    logits: Tensor = network(features, view, torch.from_numpy(SPLIT.train))
    return logits


def network_with_trust() -> PlusNetwork:
    torch.manual_seed(0)
    network = PlusNetwork(CONFIG, GRAPH.features.shape[1] + 2, 2)
    with torch.no_grad():
        network.trust.fill_(1.0)
    return network


def gradient_reaches(network: PlusNetwork, logits: Tensor, row: int) -> bool:
    network.zero_grad()
    logits[row].sum().backward(retain_graph=True)  # type: ignore[no-untyped-call]  # torch
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    return any(bool(gradient.abs().sum() > 1e-12) for gradient in gradients)


def test_a_node_that_gives_gradient_does_not_see_its_own_label() -> None:
    network = network_with_trust()
    checked = 0
    for seed in range(6):
        plain = logits_in_training(inputs(), network, seed)
        for row, node in enumerate(SPLIT.train):
            changed = logits_in_training(inputs(flipped=int(node)), network, seed)
            if not torch.allclose(plain[row], changed[row]):
                assert not plain[row].requires_grad or not gradient_reaches(network, plain, row)
                checked += 1
    assert checked > 0


def test_hidden_nodes_do_give_gradient() -> None:
    network = network_with_trust()
    plain = logits_in_training(inputs(), network, seed=1)
    assert any(gradient_reaches(network, plain, row) for row in range(len(SPLIT.train)))


def test_outside_training_every_known_label_is_heard() -> None:
    network = network_with_trust().eval()
    view = make_views(GRAPH, CONFIG, torch.device("cpu")).whole()
    node = int(SPLIT.train[0])
    others = torch.from_numpy(SPLIT.test)
    plain, changed = (network(inputs(f), view, others) for f in (None, node))
    assert not torch.allclose(plain, changed)


def test_labels_that_are_always_hidden_are_not_seen_in_prediction_either() -> None:
    config = dataclasses.replace(CONFIG, hidden_labels=1.0)
    network = PlusNetwork(config, GRAPH.features.shape[1] + 2, 2).eval()
    view = make_views(GRAPH, config, torch.device("cpu")).whole()
    flipped = inputs(flipped=int(SPLIT.train[0]))
    torch.testing.assert_close(network(inputs(), view, None), network(flipped, view, None))


def test_filtering_last_leaves_the_first_layer_to_each_node() -> None:
    config = dataclasses.replace(
        CONFIG, parallel_paths=1, skip="none", output_skip=False, filtered_layers="last", gamma=0.5
    )
    torch.manual_seed(0)
    network = LevyNetwork(config, GRAPH.features.shape[1], 2).eval()
    features = torch.from_numpy(GRAPH.features).float()
    view = LevyViews(GRAPH, config, torch.device("cpu")).whole()
    given = network(features, view, None).detach().numpy()
    first, last = (
        {name: value.detach().double().numpy()[0] for name, value in layer.named_parameters()}
        for layer in network.layers
    )
    operator = DenseLevyOperator(GRAPH.adjacency, config.gamma, config.sigma)
    spreading = filter_matrix(operator.matrix, config.alpha, config.taylor_order)
    judged = np.maximum(GRAPH.features @ first["kernel"] + first["bias"], 0) @ last["kernel"]
    np.testing.assert_allclose(given, spreading @ judged + last["bias"], atol=1e-5)


def test_only_lfgcn_plus_may_filter_last() -> None:
    plain = make_config(method="lfgcn", filtered_layers="last")
    assert isinstance(plain, LfgcnSettings)
    assert all(shape.filters for shape in layer_shapes(plain, 3, 2))
    plus = dataclasses.replace(CONFIG, filtered_layers="last")
    assert [shape.filters for shape in layer_shapes(plus, 3, 2)] == [False, True]
