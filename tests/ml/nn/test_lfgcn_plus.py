import dataclasses

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ml.config.levy import LfgcnPlusSettings, LfgcnSettings
from ml.levy.closed_forms import label_matrix
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix
from ml.methods.levy_layers import layer_shapes
from ml.methods.registry import make_config
from ml.nn.lfgcn import LevyNetwork
from ml.nn.lfgcn_plus import PlusNetwork, disagreement, make_views
from ml.nn.views import LevyViews
from ml.training.fit import fit
from tests.ml.communities import split_of, two_communities

GRAPH = two_communities(size=10)
SPLIT = split_of(GRAPH)
CONFIG = LfgcnPlusSettings(width=4, parallel_paths=2, members=2, device="cpu", drop_edge="none")
AGREEING = dataclasses.replace(CONFIG, members=3, epochs=60, agreement=1.0)


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


# Agreement of the members


def draw_logits(seed: int, members: int = 3) -> Tensor:
    torch.manual_seed(seed)
    return torch.randn(members, 5, 4, dtype=torch.float64)


@given(st.integers(0, 1000), st.floats(0.1, 1.0))
def test_disagreement_is_the_consistency_loss_of_grand(seed: int, temperature: float) -> None:
    logits = draw_logits(seed)
    probabilities = np.exp(logits.numpy())
    probabilities /= probabilities.sum(axis=2, keepdims=True)
    total = 0.0
    for node in range(5):
        target = probabilities[:, node].mean(axis=0) ** (1 / temperature)
        target /= target.sum()
        total += sum(float(((p - target) ** 2).sum()) for p in probabilities[:, node])
    assert abs(float(disagreement(logits, temperature)) - total / (3 * 5)) < 1e-12


def test_certain_and_equal_members_do_not_disagree() -> None:
    sure = 50 * torch.eye(4).expand(3, -1, -1)
    assert float(disagreement(sure, 0.5)) < 1e-12
    assert float(disagreement(torch.stack([sure[0], sure[0].flip(0)]), 0.5)) > 0.4


def test_no_gradient_flows_through_the_common_prediction() -> None:
    logits = draw_logits(0, members=2).requires_grad_()
    disagreement(logits, 0.5).backward()  # type: ignore[no-untyped-call]  # torch
    probabilities = torch.softmax(logits.detach(), dim=2).requires_grad_()
    target = probabilities.detach().mean(0).square()
    target = target / target.sum(1, keepdim=True)
    (probabilities - target).square().sum(2).mean().backward()  # type: ignore[no-untyped-call]
    pulled = torch.softmax(logits.detach(), dim=2)
    slope = probabilities.grad
    assert slope is not None
    expected = pulled * (slope - (pulled * slope).sum(2, keepdim=True))
    torch.testing.assert_close(logits.grad, expected)


def fresh_network(config: LfgcnPlusSettings) -> PlusNetwork:
    torch.manual_seed(0)
    return PlusNetwork(config, GRAPH.features.shape[1] + 2, 2)


def predict_with_penalty(config: LfgcnPlusSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits with and without the penalty, from the same random state, and the penalty."""
    columns = np.concatenate([GRAPH.features, label_matrix(GRAPH, SPLIT.train)], axis=1)
    features, nodes = torch.from_numpy(columns).float(), torch.from_numpy(SPLIT.train)
    view = make_views(GRAPH, config, torch.device("cpu")).whole()
    network = fresh_network(config)
    torch.manual_seed(1)
    logits, penalty = network.forward_with_penalty(features, view, nodes)
    torch.manual_seed(1)
    return network(features, view, nodes), logits, penalty.detach()


def test_the_penalty_leaves_the_logits_as_they_are() -> None:
    plain, logits, penalty = predict_with_penalty(AGREEING)
    torch.testing.assert_close(plain, logits)
    assert float(penalty) > 0


def test_without_agreement_there_is_no_penalty() -> None:
    _, _, penalty = predict_with_penalty(dataclasses.replace(AGREEING, agreement=0.0))
    assert float(penalty) == 0


def test_training_with_agreement_brings_the_members_together() -> None:
    apart, together = (
        _distance_after_training(dataclasses.replace(AGREEING, agreement=weight))
        for weight in (0.0, 5.0)
    )
    assert together < apart / 2


def _distance_after_training(config: LfgcnPlusSettings) -> float:
    result = fit(GRAPH, SPLIT, dataclasses.replace(config, patience=None, stop_on="loss"))
    weights = {name: torch.from_numpy(value) for name, value in result.artifact.tensors().items()}
    network = fresh_network(config)
    network.load_state_dict(weights)
    network.eval()
    columns = np.concatenate([GRAPH.features, label_matrix(GRAPH, SPLIT.train)], axis=1)
    view = make_views(GRAPH, config, torch.device("cpu")).whole()
    with torch.no_grad():
        outputs, prior, _ = network._evaluate_members(torch.from_numpy(columns).float(), view, None)
        return float(disagreement(outputs + prior, 0.5))
