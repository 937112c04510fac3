import dataclasses

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ml.config.levy import LfgcnPlusSettings
from ml.levy.closed_forms import label_matrix
from ml.nn.agreement import disagreement
from ml.nn.lfgcn_plus import PlusNetwork, make_views
from ml.training.fit import fit
from tests.ml.communities import split_of, two_communities

GRAPH = two_communities(size=10)
SPLIT = split_of(GRAPH)
CONFIG = LfgcnPlusSettings(
    width=4,
    parallel_paths=2,
    members=3,
    epochs=60,
    agreement=1.0,
    device="cpu",
    drop_edge="none",
)


def draw_voices(seed: int, members: int = 3) -> Tensor:
    torch.manual_seed(seed)
    return torch.randn(members, 5, 4, dtype=torch.float64)


@given(st.integers(0, 1000), st.floats(0.1, 1.0))
def test_it_is_the_formula_of_its_source(seed: int, temperature: float) -> None:
    voices = draw_voices(seed)
    beliefs = np.exp(voices.numpy())
    beliefs /= beliefs.sum(axis=2, keepdims=True)
    total = 0.0
    for node in range(5):
        target = beliefs[:, node].mean(axis=0) ** (1 / temperature)
        target /= target.sum()
        total += sum(float(((p - target) ** 2).sum()) for p in beliefs[:, node])
    assert abs(float(disagreement(voices, temperature)) - total / (3 * 5)) < 1e-12


def test_members_that_are_sure_of_the_same_agree() -> None:
    sure = 50 * torch.eye(4).expand(3, -1, -1)
    assert float(disagreement(sure, 0.5)) < 1e-12
    assert float(disagreement(torch.stack([sure[0], sure[0].flip(0)]), 0.5)) > 0.4


def test_the_common_answer_is_not_pulled_towards_the_members() -> None:
    voices = draw_voices(0, members=2).requires_grad_()
    disagreement(voices, 0.5).backward()  # type: ignore[no-untyped-call]  # torch
    beliefs = torch.softmax(voices.detach(), dim=2).requires_grad_()
    target = beliefs.detach().mean(0).square()
    target = target / target.sum(1, keepdim=True)
    (beliefs - target).square().sum(2).mean().backward()  # type: ignore[no-untyped-call]
    pulled = torch.softmax(voices.detach(), dim=2)
    slope = beliefs.grad
    assert slope is not None
    expected = pulled * (slope - (pulled * slope).sum(2, keepdim=True))
    torch.testing.assert_close(voices.grad, expected)


def make_network(config: LfgcnPlusSettings) -> PlusNetwork:
    torch.manual_seed(0)
    return PlusNetwork(config, GRAPH.features.shape[1] + 2, 2)


def ask(config: LfgcnPlusSettings) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits with and without the penalty, drawn alike, and the penalty."""
    columns = np.concatenate([GRAPH.features, label_matrix(GRAPH, SPLIT.train)], axis=1)
    features, nodes = torch.from_numpy(columns).float(), torch.from_numpy(SPLIT.train)
    view = make_views(GRAPH, config, torch.device("cpu")).whole()
    network = make_network(config)
    torch.manual_seed(1)
    logits, penalty = network.forward_with_penalty(features, view, nodes)
    torch.manual_seed(1)
    return network(features, view, nodes), logits, penalty.detach()


def test_the_penalty_leaves_the_logits_as_they_are() -> None:
    plain, logits, penalty = ask(CONFIG)
    torch.testing.assert_close(plain, logits)
    assert float(penalty) > 0


def test_without_agreement_there_is_no_penalty() -> None:
    _, _, penalty = ask(dataclasses.replace(CONFIG, agreement=0.0))
    assert float(penalty) == 0


def test_training_with_agreement_brings_the_members_together() -> None:
    apart, together = (
        _distance_after_training(dataclasses.replace(CONFIG, agreement=weight))
        for weight in (0.0, 5.0)
    )
    assert together < apart / 2


def _distance_after_training(config: LfgcnPlusSettings) -> float:
    result = fit(GRAPH, SPLIT, dataclasses.replace(config, patience=None, stop_on="loss"))
    weights = {name: torch.from_numpy(value) for name, value in result.artifact.tensors().items()}
    network = make_network(config)
    network.load_state_dict(weights)
    network.eval()
    columns = np.concatenate([GRAPH.features, label_matrix(GRAPH, SPLIT.train)], axis=1)
    view = make_views(GRAPH, config, torch.device("cpu")).whole()
    with torch.no_grad():
        outputs, prior, _ = network._ask_members(torch.from_numpy(columns).float(), view, None)
        return float(disagreement(outputs + prior, 0.5))
