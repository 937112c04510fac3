import itertools
from typing import get_args

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.errors import InvalidHyperparameter
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.levy.closed_forms import ClosedForm
from ml.methods import label_propagation
from ml.methods.label_propagation import LabelPropagationSettings
from ml.training.selection.propagation import (
    Precision,
    Readout,
    Spreading,
    hold_out,
    hold_out_by_fold,
    spread_labels,
)
from tests.ml.training.selection.problems import make_communities

SETTINGS = [
    Spreading(alpha=0.9, gamma=gamma, sigma=sigma, readout=readout, balanced=balanced)
    for gamma, sigma, readout, balanced in itertools.product(
        (1.0, 0.6), (0.0, 0.5, 1.0), get_args(Readout), (False, True)
    )
]


@pytest.mark.parametrize("spreading", SETTINGS, ids=str)
def test_all_folds_at_once_equal_one_fold_at_a_time(spreading: Spreading) -> None:
    problem, _ = make_communities()
    folds = np.arange(len(problem.known)) % 4
    precision = Precision(problem.graph.adjacency, spreading.alpha, spreading.gamma)

    fast = hold_out(precision.respond(problem.known), problem.indicator, folds, spreading)
    slow = hold_out_by_fold(precision, problem.known, problem.indicator, folds, spreading)

    np.testing.assert_allclose(fast, slow, atol=1e-10)


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("gamma", [1.0, 0.4])
def test_additive_spreading_is_the_closed_form(sigma: float, gamma: float) -> None:
    problem, _ = make_communities()
    precision = Precision(problem.graph.adjacency, 0.95, gamma)

    found = spread_labels(
        precision, problem.known, problem.indicator, Spreading(alpha=0.95, gamma=gamma, sigma=sigma)
    )

    oracle = ClosedForm(alpha=0.95, sigma=sigma, gamma=gamma)
    np.testing.assert_allclose(found, oracle.probabilities(problem.graph, problem.known), atol=1e-9)


@pytest.mark.parametrize("balanced", [False, True])
def test_clamped_spreading_tends_to_label_propagation_as_alpha_tends_to_one(
    balanced: bool,
) -> None:
    problem, _ = make_communities()
    alpha = 1 - 1e-8
    spreading = Spreading(alpha=alpha, readout="clamped", balanced=balanced)

    found = spread_labels(
        Precision(problem.graph.adjacency, alpha), problem.known, problem.indicator, spreading
    )

    nothing = np.zeros(0, dtype=np.int64)
    split = Split(problem.known, nothing, nothing)
    settings = LabelPropagationSettings(normalised=balanced)
    oracle, _ = label_propagation.fit(problem.graph, split, settings)
    np.testing.assert_allclose(found, oracle, atol=1e-5)


def test_clamped_labels_stay_what_they_are() -> None:
    problem, _ = make_communities()
    for gamma in (1.0, 0.5):
        spreading = Spreading(alpha=0.99, gamma=gamma, readout="clamped")
        precision = Precision(problem.graph.adjacency, 0.99, gamma)
        found = spread_labels(precision, problem.known, problem.indicator, spreading)
        np.testing.assert_allclose(found[problem.known], problem.indicator, atol=1e-9)


def test_the_label_of_a_held_out_node_changes_nothing_about_its_answer() -> None:
    problem, _ = make_communities()
    alone = np.arange(len(problem.known))
    for spreading in SETTINGS:
        precision = Precision(problem.graph.adjacency, spreading.alpha, spreading.gamma)
        responses = precision.respond(problem.known)
        before = hold_out(responses, problem.indicator, alone, spreading)
        turned: FloatArray = problem.indicator.copy()
        turned[0] = turned[0, ::-1]
        after = hold_out(responses, turned, alone, spreading)
        np.testing.assert_allclose(before[0], after[0], atol=1e-12)


def test_a_node_that_no_label_reaches_gets_the_class_frequencies() -> None:
    graph = Graph(node_count=5, edges=np.array([[0, 1], [1, 2], [3, 4]]), weights=np.ones(3))
    labels = np.array([[1.0, 0.0], [0.0, 1.0]])
    for readout in get_args(Readout):
        spreading = Spreading(alpha=0.9, readout=readout)
        found = spread_labels(Precision(graph.adjacency, 0.9), np.array([0, 2]), labels, spreading)
        np.testing.assert_allclose(found[3:], 0.5)
        np.testing.assert_allclose(found[1], 0.5)
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_an_isolated_node_answers_with_its_own_label() -> None:
    graph = Graph(node_count=3, edges=np.array([[0, 1]]), weights=np.ones(1))
    for gamma in (1.0, 0.5):
        precision = Precision(graph.adjacency, 0.9, gamma)
        spreading = Spreading(alpha=0.9, gamma=gamma)
        found = spread_labels(precision, np.array([0, 2]), np.eye(2), spreading)
        np.testing.assert_allclose(found, [[1, 0], [1, 0], [0, 1]], atol=1e-12)


def test_settings_outside_their_interval_are_refused() -> None:
    with pytest.raises(InvalidHyperparameter):
        Spreading(alpha=1.0)
    with pytest.raises(InvalidHyperparameter):
        Spreading(alpha=0.5, gamma=0.0)
