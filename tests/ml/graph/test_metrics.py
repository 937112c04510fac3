"""The measures of predictions."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    log_loss,
    precision_recall_fscore_support,
)

from ml.arrays import FloatArray, IntArray
from ml.errors import InvalidInput
from ml.graph.metrics import accuracy_interval, calibration_error, evaluate


def random_predictions(
    count: int, classes: int, seed: int, known: int | None = None
) -> tuple[FloatArray, IntArray]:
    generator = np.random.default_rng(seed)
    probabilities = generator.dirichlet(np.ones(classes), size=count)
    labels = generator.integers(known or classes, size=count)
    return probabilities, labels


def certain(classes: list[int], class_count: int) -> FloatArray:
    return np.eye(class_count)[classes]


@given(count=st.integers(1, 60), classes=st.integers(2, 6), seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_measures_agree_with_scikit_learn(count: int, classes: int, seed: int) -> None:
    probabilities, labels = random_predictions(count, classes, seed)
    metrics = evaluate(probabilities, labels, np.arange(count))
    called = probabilities.argmax(axis=1)
    everything = list(range(classes))
    assert metrics.count == count
    assert metrics.accuracy == pytest.approx(accuracy_score(labels, called))
    assert metrics.macro_f1 == pytest.approx(f1_score(labels, called, average="macro"))
    assert metrics.log_loss == pytest.approx(log_loss(labels, probabilities, labels=everything))
    expected = confusion_matrix(labels, called, labels=everything).tolist()
    assert [list(row) for row in metrics.confusion] == expected


@given(count=st.integers(1, 60), seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_measures_of_occurring_classes_agree_with_scikit_learn(count: int, seed: int) -> None:
    probabilities, labels = random_predictions(count, 5, seed, known=3)
    called = probabilities.argmax(axis=1)
    expected = precision_recall_fscore_support(labels, called, labels=range(5), zero_division=0)
    for label, one in enumerate(evaluate(probabilities, labels, np.arange(count)).per_class):
        if label in labels or label in called:
            found = (one.precision, one.recall, one.f1, one.support)
            assert found == pytest.approx(tuple(float(measure[label]) for measure in expected))


def test_a_confusion_by_hand_gives_the_measures_by_hand() -> None:
    labels = np.array([0, 0, 0, 1, 1, 2])
    metrics = evaluate(certain([0, 0, 1, 1, 2, 2], 3), labels, np.arange(6))
    assert metrics.confusion == ((2, 1, 0), (0, 1, 1), (0, 0, 1))
    assert metrics.accuracy == pytest.approx(4 / 6)
    assert metrics.per_class[0].precision == 1
    assert metrics.per_class[0].recall == pytest.approx(2 / 3)
    assert [one.f1 for one in metrics.per_class] == pytest.approx([4 / 5, 1 / 2, 2 / 3])
    assert metrics.macro_f1 == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)
    assert [one.support for one in metrics.per_class] == [3, 2, 1]


def test_only_the_given_nodes_count() -> None:
    probabilities = certain([0, 1, 1], 2)
    labels = np.array([0, 0, 1])
    assert evaluate(probabilities, labels, np.array([0, 2])).accuracy == 1
    assert evaluate(probabilities, labels, np.array([1])).accuracy == 0


def test_unlabelled_nodes_do_not_count() -> None:
    metrics = evaluate(certain([0, 1, 1], 2), np.array([0, -1, 0]), np.arange(3))
    assert metrics.count == 2
    assert metrics.accuracy == 0.5


@pytest.mark.parametrize("nodes", [[], [1]])
def test_without_labelled_nodes_every_measure_is_undefined(nodes: list[int]) -> None:
    metrics = evaluate(certain([0, 1], 2), np.array([0, -1]), np.array(nodes, dtype=np.int64))
    assert metrics.count == 0
    assert metrics.confusion == ((0, 0), (0, 0))
    measures = (metrics.accuracy, metrics.macro_f1, metrics.log_loss)
    assert all(math.isnan(measure) for measure in measures)
    assert math.isnan(metrics.expected_calibration_error)


def test_a_class_that_never_occurs_is_undefined_and_left_out_of_the_mean() -> None:
    metrics = evaluate(certain([0, 1], 3), np.array([0, 1]), np.arange(2))
    assert math.isnan(metrics.per_class[2].f1)
    assert metrics.macro_f1 == 1


def test_a_class_predicted_without_support_counts_as_a_miss() -> None:
    metrics = evaluate(certain([0, 2], 3), np.array([0, 0]), np.arange(2))
    absent = metrics.per_class[2]
    assert (absent.precision, absent.recall, absent.f1, absent.support) == (0, 0, 0, 0)
    assert metrics.macro_f1 == pytest.approx((2 / 3 + 0) / 2)


def test_a_class_never_predicted_has_precision_zero() -> None:
    metrics = evaluate(certain([0, 0], 2), np.array([0, 1]), np.arange(2))
    assert (metrics.per_class[1].precision, metrics.per_class[1].recall) == (0, 0)


def test_certainty_in_the_wrong_class_costs_a_finite_loss() -> None:
    metrics = evaluate(certain([1], 2), np.array([0]), np.arange(1))
    assert 700 < metrics.log_loss < 710


def test_calibration_is_the_gap_between_confidence_and_accuracy_by_hand() -> None:
    # Bins of width 1/10: (0.9, 0.9) right and wrong, gap |1 - 1.8| / 4; (0.6, 0.6) right, 0.8 / 4.
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.6, 0.4]])
    truth = np.array([0, 1, 0, 0])
    assert calibration_error(probabilities, truth, bins=10) == pytest.approx(0.2 + 0.2)


def test_predictions_that_are_right_as_often_as_they_claim_are_calibrated() -> None:
    generator = np.random.default_rng(0)
    confidence = generator.uniform(0.5, 1, size=200_000)
    truth = (generator.random(200_000) > confidence).astype(np.int64)
    probabilities = np.stack([confidence, 1 - confidence], axis=1)
    assert calibration_error(probabilities, truth) < 0.01


def test_calibration_at_the_edges_of_the_bins_is_defined() -> None:
    assert calibration_error(certain([0, 0], 2), np.array([0, 0])) == 0
    assert calibration_error(np.full((1, 2), 0.5), np.array([0]), bins=2) == 0.5


def test_single_precision_probabilities_are_accepted() -> None:
    probabilities, labels = random_predictions(50, 4, seed=1)
    single = evaluate(probabilities.astype(np.float32), labels, np.arange(50))
    double = evaluate(probabilities, labels, np.arange(50))
    assert single.log_loss == pytest.approx(double.log_loss, rel=1e-5)


@pytest.mark.parametrize("nodes", [np.arange(2), np.arange(0)])
def test_the_dictionary_is_plain_json_with_none_for_undefined(nodes: IntArray) -> None:
    metrics = evaluate(certain([0, 1], 3), np.array([0, 1]), nodes)
    plain = json.loads(json.dumps(metrics.as_dict(), allow_nan=False))
    assert plain == metrics.as_dict()
    assert metrics.summary().items() <= plain.items()
    assert plain["per_class"][2]["f1"] is None
    assert plain["count"] == len(nodes)


@pytest.mark.parametrize(
    ("probabilities", "labels", "where"),
    [
        (np.ones((3, 1)), [0, 0], "probabilities"),
        (np.ones((1, 1)), [0, 0], "probabilities"),
        (np.ones(2), [0, 0], "probabilities"),
        (np.full((2, 2), 0.6), [0, 0], "probabilities"),
        (np.array([[1.5, -0.5]]), [0], "probabilities"),
        (np.array([[np.nan, 1.0]]), [0], "probabilities"),
        (np.array([[0.5, 0.5]]), [2], "labels"),
    ],
)
def test_an_invalid_prediction_is_refused(
    probabilities: FloatArray, labels: list[int], where: str
) -> None:
    with pytest.raises(InvalidInput, match=where):
        evaluate(probabilities, np.array(labels), np.arange(len(labels)))


def test_the_interval_of_an_accuracy_is_that_of_wilson() -> None:
    # Newcombe (1998), Table I, method 3: 81 of 263 gives 0.2553 to 0.3662.
    low, high = accuracy_interval(81 / 263, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_the_interval_of_a_perfect_or_hopeless_accuracy_stays_within_bounds(
    accuracy: float,
) -> None:
    low, high = accuracy_interval(accuracy, 10)
    assert 0 <= low <= accuracy <= high <= 1
    assert high - low > 0.2


def test_more_nodes_make_the_interval_narrower() -> None:
    few, many = (accuracy_interval(0.8, count) for count in (20, 2000))
    assert few[0] < many[0] < 0.8 < many[1] < few[1]


def test_the_interval_of_no_node_is_refused() -> None:
    with pytest.raises(InvalidInput):
        accuracy_interval(0.5, 0)
