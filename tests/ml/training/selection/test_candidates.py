"""Which candidates a problem has, and which one is the usual one."""

import dataclasses

import numpy as np
import pytest

from ml.graph.graph import UNLABELLED
from ml.training.selection.auto import select
from ml.training.selection.candidates import list_candidates
from ml.training.selection.problem import LabelProblem
from tests.ml.training.selection.problems import make_communities


def know(first: int, second: int) -> LabelProblem:
    """Return two communities with so many known labels each."""
    problem, truth = make_communities(size=30)
    labels = np.full(60, UNLABELLED)
    for label, count in enumerate((first, second)):
        labels[np.flatnonzero(truth == label)[:count]] = label
    return dataclasses.replace(problem, graph=dataclasses.replace(problem.graph, labels=labels))


@pytest.mark.parametrize(
    ("known", "reach", "balanced"),
    [
        pytest.param((2, 2), 0.9999, True, id="even, few: masses are balanced"),
        pytest.param((5, 5), 0.9999, None, id="even, many: the sample says nothing about sizes"),
        pytest.param((1, 4), 0.9, None, id="uneven, few: a label reaches nearby nodes only"),
        pytest.param((4, 12), 0.9999, None, id="uneven, many"),
    ],
)
def test_the_usual_propagation_follows_how_the_labels_were_sampled(
    known: tuple[int, int], reach: float, balanced: bool | None
) -> None:
    first, *others = list_candidates(know(*known))
    assert first.family == "propagation"
    assert first.prior_cost == 0
    assert first.settings["alpha"] == reach
    assert first.settings.get("balanced") == balanced
    assert all(one.prior_cost > 0 for one in others if one.family == "propagation")


def test_an_even_sample_of_many_labels_is_never_balanced() -> None:
    assert not any(one.settings.get("balanced") for one in list_candidates(know(5, 5)))
    assert any(one.settings.get("balanced") for one in list_candidates(know(4, 12)))


def test_branches_are_used_where_they_carry_the_class() -> None:
    problem, _ = make_communities(size=30, known=10, noise=True)
    assert not any("branches" in one.key for one in list_candidates(problem))
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 60)
    labels = np.where(np.arange(60) % 3 == 0, truth, UNLABELLED)
    branches = np.column_stack([truth + generator.normal(0, 0.1, 60), generator.normal(size=60)])
    graph = dataclasses.replace(problem.graph, labels=labels)
    found = LabelProblem(graph, branches=branches)
    chosen = select(found)
    assert "branches" in chosen.members[0].candidate.key
    assert "branches" in chosen.members[0].candidate.title
    assert (chosen.probabilities.argmax(axis=1) == truth).mean() > 0.9
