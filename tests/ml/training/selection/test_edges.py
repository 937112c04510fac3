"""Edge weights by place."""

import dataclasses

import numpy as np

from ml.training.selection.auto import select
from ml.training.selection.candidates import list_candidates
from ml.training.selection.edges import BY_PLACE, list_weightings, weigh
from ml.training.selection.problem import LabelProblem
from ml.training.selection.propagation import Precision, Spreading, spread_labels
from tests.ml.training.selection.problems import make_communities


def make_placed(seed: int = 0) -> tuple[LabelProblem, np.ndarray]:
    """Two groups of nodes in two towns, 1 degree apart; branches ignore the towns."""
    problem, truth = make_communities(size=30, known=4, seed=seed, features=False)
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(60)
    coordinates = np.column_stack([48.0 + truth, np.full(60, 9.0)])
    coordinates += generator.normal(scale=0.05, size=(60, 2))
    graph = dataclasses.replace(problem.graph, edges=shuffled[problem.graph.edges])
    return dataclasses.replace(problem, graph=graph, coordinates=coordinates), truth


def test_without_places_only_the_branches_count() -> None:
    problem, _ = make_communities(features=False)
    assert list_weightings(problem) == ("plain",)


def test_places_that_are_all_the_same_give_no_weights() -> None:
    problem, _ = make_communities(features=False)
    same = dataclasses.replace(problem, coordinates=np.full((40, 2), 48.0))
    assert list_weightings(same) == ("plain",)


def test_with_places_neighbouring_places_come_first() -> None:
    problem, _ = make_placed()
    assert list_weightings(problem)[:2] == BY_PLACE


def test_weights_by_place_are_symmetric_positive_and_fall_with_the_length() -> None:
    problem, _ = make_placed()
    for name in BY_PLACE:
        weights = weigh(problem, name)
        assert abs(weights - weights.T).max() == 0
        assert weights.data.min() > 0
        assert (weights.diagonal() == 0).all()
    assert problem.places is not None
    ends = problem.graph.edges[:, 0], problem.graph.edges[:, 1]
    lengths = np.linalg.norm(problem.places[ends[0]] - problem.places[ends[1]], axis=1)
    alone = np.array(
        [weigh(problem, "nearness")[one, other] for one, other in zip(*ends, strict=True)]
    )
    order = np.argsort(lengths)
    assert alone[order[0]] > alone[order[-1]]


def test_nodes_at_one_place_are_joined() -> None:
    problem, _ = make_placed()
    assert problem.coordinates is not None
    coordinates = problem.coordinates.copy()
    coordinates[7] = coordinates[3]
    twins = dataclasses.replace(problem, coordinates=coordinates)
    assert weigh(twins, "neighbourhood")[3, 7] >= 1


def test_labels_of_towns_are_found_though_the_branches_say_nothing() -> None:
    problem, truth = make_placed()
    spreading = Spreading(alpha=0.9999, readout="clamped")
    right = {}
    for name in ("plain", "neighbourhood"):
        precision = Precision(weigh(problem, name), spreading.alpha)
        scores = spread_labels(precision, problem.known, problem.indicator, spreading)
        right[name] = (scores.argmax(axis=1) == truth).mean()
    assert right["neighbourhood"] > 0.95 > right["plain"]


def test_the_choice_uses_places() -> None:
    problem, truth = make_placed()
    with_places = select(problem).probabilities.argmax(axis=1) == truth
    bare = dataclasses.replace(problem, coordinates=None)
    without = select(bare).probabilities.argmax(axis=1) == truth
    assert with_places.mean() > 0.95 > without.mean() + 0.1


def test_titles_say_when_places_are_used() -> None:
    problem, _ = make_placed()
    titles = {one.key: one.title for one in list_candidates(problem)}
    assert titles["nearest_1"] == "nearest known buses on places"
    first = next(iter(titles.values()))
    assert "between neighbouring places" in first


def test_both_figures_are_given_where_substations_have_several_known_nodes() -> None:
    problem, _ = make_communities(size=30, known=12)
    alone = select(problem).estimate
    pairs = select(dataclasses.replace(problem, groups=np.arange(60) // 2)).estimate
    assert alone is not None
    assert alone.ungrouped is None
    assert pairs is not None
    assert pairs.ungrouped is not None
    assert 0 <= pairs.ungrouped <= 1
