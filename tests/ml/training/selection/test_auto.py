import dataclasses
import json

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.artifact.trees import apply_trees
from ml.errors import InvalidInput
from ml.graph.graph import UNLABELLED, Graph
from ml.training.selection.auto import select
from ml.training.selection.candidates import Family, list_candidates
from ml.training.selection.columns import FeatureParts
from ml.training.selection.ensemble import choose, choose_single, make_pool, sharpen
from ml.training.selection.estimate import estimate_accuracy
from ml.training.selection.evaluation import Evaluator
from ml.training.selection.folds import FoldPlan, assign_folds, plan_folds
from ml.training.selection.problem import LabelProblem
from ml.training.selection.schedule import Schedule, plan_schedule
from tests.ml.training.selection.problems import make_communities


class _Stop(Exception):
    """Ends a run from outside."""


def relabel(problem: LabelProblem, labels: list[int] | np.ndarray) -> LabelProblem:
    graph = dataclasses.replace(problem.graph, labels=np.asarray(labels))
    return dataclasses.replace(problem, graph=graph)


def test_communities_are_found_from_few_labels_with_an_estimate_that_says_so() -> None:
    problem, truth = make_communities(size=30, known=8)
    found = select(problem, plan_schedule(problem, 1.0))
    assert (found.probabilities.argmax(axis=1) == truth).mean() > 0.9
    assert found.estimate is not None
    assert found.estimate.low <= found.estimate.accuracy <= found.estimate.high
    assert found.estimate.accuracy > 0.8
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert sum(member.weight for member in found.members) == pytest.approx(1)


def test_labels_that_are_noise_are_reported_as_chance() -> None:
    estimates = []
    for seed in range(6):
        problem, _ = make_communities(size=40, known=20, seed=seed, noise=True)
        found = select(problem, plan_schedule(problem, 0.5))
        assert found.estimate is not None
        assert found.estimate.low <= 0.5
        estimates.append(found.estimate)
    assert np.mean([one.accuracy for one in estimates]) < 0.56
    assert np.mean([one.apparent for one in estimates]) > np.mean(
        [one.accuracy for one in estimates]
    )


def test_many_random_candidates_do_not_beat_chance_in_the_estimate() -> None:
    generator = np.random.default_rng(0)
    truth = generator.integers(0, 2, 60)
    held_out = [generator.dirichlet([1, 1], size=(1, 60)) for _ in range(200)]
    keys = [str(number) for number in range(200)]
    pool = make_pool(keys, ["tabular"] * 200, [0.0] * 200, held_out, truth)
    found = estimate_accuracy(pool, None, 0)
    assert found.apparent > 0.58
    assert found.accuracy < 0.56
    assert found.low < 0.5 < found.high


def test_a_run_that_was_stopped_continues_to_the_same_result() -> None:
    problem, _ = make_communities()
    schedule = plan_schedule(problem, 1.5)
    whole = select(problem, schedule)
    stored: dict[str, FloatArray] = {}

    def stop(_key: str, number: int, _total: int) -> None:
        if number == len(schedule.steps) // 2:
            raise _Stop

    with pytest.raises(_Stop):
        select(problem, schedule, stop, stored)
    assert stored
    again = select(problem, schedule, None, stored)
    np.testing.assert_array_equal(again.probabilities, whole.probabilities)
    np.testing.assert_array_equal(again.held_out, whole.held_out)
    assert again.estimate == whole.estimate


def test_a_schedule_survives_json_and_repeats_the_run() -> None:
    problem, _ = make_communities()
    schedule = plan_schedule(problem, 1.0)
    read = Schedule.from_dict(json.loads(json.dumps(schedule.as_dict())))
    assert read == schedule
    first, second = select(problem, schedule), select(problem, read)
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_with_two_labels_per_class_the_settings_of_propagation_are_not_chosen() -> None:
    few, _ = make_communities(known=2)
    more, _ = make_communities(known=3)
    counts = [
        sum(one.family == "propagation" for one in list_candidates(problem))
        for problem in (few, more)
    ]
    assert counts[0] == 1
    assert counts[1] > 10


def test_a_larger_budget_never_leaves_out_more() -> None:
    problem, _ = make_communities()
    skipped = [len(plan_schedule(problem, budget).skipped) for budget in (0.01, 1, 5, 50)]
    assert skipped == sorted(skipped, reverse=True)
    assert plan_schedule(problem, 0.0).steps[0].candidate == list_candidates(problem)[0].key


@pytest.mark.long
def test_networks_join_when_the_budget_allows_them() -> None:
    problem, _ = make_communities(size=10, known=5)
    found = select(problem, plan_schedule(problem, 30))
    networks = [row for row in found.rows if row.family == "network"]
    assert any(row.accuracy is not None for row in networks)
    assert any(row.status.startswith("stopped after one fold") for row in networks)


@pytest.mark.parametrize(
    "labels",
    [{0: 0}, {0: 0, 39: 1}, {0: 0, 1: 0, 39: 1}, {0: 0, 1: 0, 2: 0, 3: 0}],
    ids=["one label", "one per class", "a class with one member", "one class"],
)
def test_too_few_labels_use_the_default_and_say_so(labels: dict[int, int]) -> None:
    problem, _ = make_communities()
    given = np.full(40, UNLABELLED)
    given[list(labels)] = list(labels.values())
    found = select(relabel(problem, given))
    assert found.estimate is None
    assert "too few" in found.reason
    assert found.held_out.shape == (len(labels), 2)
    np.testing.assert_allclose(found.held_out.sum(axis=1), 1)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def test_four_labels_are_compared_with_a_wide_interval() -> None:
    problem, _ = make_communities(known=2)
    found = select(problem)
    assert found.estimate is not None
    assert found.estimate.high - found.estimate.low > 0.4
    assert len(found.rows) > 1


def test_a_class_with_one_member_among_many_labels_is_served() -> None:
    problem, _ = make_communities(known=8)
    labels = problem.graph.labels.copy()
    labels[problem.known[0]] = 2
    graph = dataclasses.replace(problem.graph, labels=labels, class_names=("a", "b", "c"))
    found = select(LabelProblem(graph), plan_schedule(LabelProblem(graph), 0.5))
    assert found.probabilities.shape == (40, 3)
    assert found.estimate is not None


def test_every_node_may_be_labelled() -> None:
    problem, truth = make_communities()
    found = select(relabel(problem, truth), plan_schedule(relabel(problem, truth), 0.5))
    assert found.estimate is not None
    assert found.estimate.accuracy > 0.8


def test_a_class_on_another_island_is_served() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7], [8, 9]])
    labels = np.array([0, 0, 0, -1, 1, 1, 1, -1, -1, -1])
    graph = Graph(node_count=10, edges=edges, weights=np.ones(7), labels=labels)
    problem = LabelProblem(graph)
    found = select(problem, plan_schedule(problem, 0.2))
    assert found.probabilities[3].argmax() == 0
    assert found.probabilities[7].argmax() == 1
    np.testing.assert_allclose(found.probabilities[8:], 0.5, atol=0.01)


def test_no_label_and_wrong_shapes_are_refused_at_once() -> None:
    problem, _ = make_communities()
    bare = dataclasses.replace(problem.graph, labels=np.full(40, UNLABELLED))
    with pytest.raises(InvalidInput, match=r"no label is known.*groups.*coordinates"):
        LabelProblem(bare, groups=np.zeros(3, dtype=np.int64), coordinates=np.zeros((40, 3)))


def test_groups_are_never_split_between_folds() -> None:
    problem, _ = make_communities(known=10)
    grouped = dataclasses.replace(problem, groups=np.arange(40) // 3)
    folds = assign_folds(grouped, plan_folds(grouped))
    for row in folds:
        for group in np.unique(grouped.groups[grouped.known]):  # type: ignore[index]
            assert len(np.unique(row[grouped.groups[grouped.known] == group])) == 1  # type: ignore[index]


def test_groups_and_classes_with_fewer_members_than_folds_are_dealt_out() -> None:
    problem, _ = make_communities(known=4)
    grouped = dataclasses.replace(problem, groups=np.arange(40))
    folds = assign_folds(grouped, plan_folds(grouped))
    assert folds.shape == (4, 8)
    np.testing.assert_array_equal([len(np.unique(row)) for row in folds], 4)


def test_folds_hold_out_each_known_node_once_per_repetition() -> None:
    problem, _ = make_communities(known=10)
    folds = assign_folds(problem, FoldPlan(5, 3))
    assert folds.shape == (3, 20)
    for row in folds:
        np.testing.assert_array_equal(np.bincount(row), 4)
        for fold in range(5):
            np.testing.assert_array_equal(np.bincount(problem.truth[row == fold]), [2, 2])


def test_label_scores_of_a_training_node_do_not_know_its_label() -> None:
    problem, _ = make_communities()
    before = FeatureParts(problem).make(("scores",), problem.known)
    labels = problem.graph.labels.copy()
    node = problem.known[0]
    labels[node] = 1 - labels[node]
    after = FeatureParts(relabel(problem, labels)).make(("scores",), problem.known)
    np.testing.assert_allclose(before[node], after[node], atol=1e-9)


def test_sharpening_keeps_the_order_and_the_sum() -> None:
    given = np.random.default_rng(0).dirichlet([1, 1, 1], size=50)
    for power in (0.25, 1.0, 16.0):
        found = sharpen(given, power, 30)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        np.testing.assert_array_equal(found.argmax(axis=1), given.argmax(axis=1))
    np.testing.assert_allclose(sharpen(given, 1.0, 10**9), given, atol=1e-8)


def test_one_clearly_better_candidate_is_chosen_alone() -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 3, 80)
    good = 0.9 * np.eye(3)[truth] + 0.1 / 3
    held_out = [generator.dirichlet([1, 1, 1], size=(1, 80)) for _ in range(5)] + [good[None]]
    spread: Family = "propagation"
    families: list[Family] = [spread, spread, spread, spread, spread, "tabular"]
    pool = make_pool("abcdef", families, [0.0] * 6, held_out, truth)
    assert choose_single(pool, np.ones(80)) == 5
    assert choose(pool, np.ones(80)).members == (5,)


def test_two_candidates_right_on_different_nodes_are_combined() -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 2, 200)
    known = np.eye(2)[truth]
    unsure = np.full((200, 2), 0.5)
    half = np.arange(200)[:, None] < 100
    pair = [np.where(half, 0.9 * known + 0.05, unsure), np.where(half, unsure, 0.9 * known + 0.05)]
    pool = make_pool(
        "ab", ["propagation", "tabular"], [0.0, 0.0], [one[None] for one in pair], truth
    )
    found = choose(pool, np.ones(200))
    assert found.members == (0, 1)
    assert sum(found.weights) == pytest.approx(1)


def test_a_refitted_forest_is_served_by_its_arrays() -> None:
    problem, _ = make_communities()
    candidate = next(one for one in list_candidates(problem) if one.key == "forest")
    evaluator = Evaluator(problem, np.zeros((1, len(problem.known)), dtype=np.int64))
    refit = evaluator.refit(candidate)
    columns = FeatureParts(problem).make(candidate.settings["parts"], problem.known)
    np.testing.assert_allclose(apply_trees(refit.tensors, columns), refit.probabilities, atol=1e-12)
