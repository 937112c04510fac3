import numpy as np
import pytest

from ml.arrays import FloatArray, IntArray
from ml.trust.conformal import (
    HIGHEST_COVERAGE,
    LEAST_IN_BIN,
    LOWEST_COVERAGE,
    PredictionSets,
    assign_bins,
    calibrate,
    count_needed,
    find_threshold,
)


def draw_nodes(
    generator: np.random.Generator, count: int, classes: int = 3
) -> tuple[FloatArray, IntArray]:
    """Nodes with noisy probabilities that are unrelated to how often a class is right."""
    truth = generator.choice(
        classes, count, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2)
    )
    logits = generator.normal(0, 1, (count, classes))
    logits[np.arange(count), truth] += 1.5
    powers = np.exp(logits)
    return powers / powers.sum(axis=1, keepdims=True), truth


def make_sets(
    probabilities: FloatArray, truth: IntArray, coverage: float, groups: IntArray | None = None
) -> PredictionSets | None:
    given = probabilities[np.arange(len(truth)), truth]
    return calibrate(given, truth, probabilities.shape[1], coverage, groups)


@pytest.mark.parametrize(
    ("coverage", "needed"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99)]
)
def test_the_resolution_is_the_number_of_calibration_nodes(coverage: float, needed: int) -> None:
    assert count_needed(coverage) == needed
    probabilities, truth = draw_nodes(np.random.default_rng(0), needed)
    assert make_sets(probabilities[1:], truth[1:], coverage) is None
    sets = make_sets(probabilities, truth, coverage)
    assert sets is not None
    assert sets.units == needed


def test_the_threshold_of_a_hand_case() -> None:
    # Nine nodes promise 90 % only with the smallest of their probabilities; 80 % leaves one out.
    given = np.arange(1, 10) / 10
    assert find_threshold(given, np.arange(9), 0.9) == 0.1
    assert find_threshold(given, np.arange(9), 0.8) == 0.2
    assert find_threshold(given[:8], np.arange(8), 0.9) == 0


@pytest.mark.parametrize(
    ("count", "coverage"),
    [(9, 0.8), (9, 0.9), (25, 0.9), (25, 0.95), (60, 0.8), (60, 0.95), (400, 0.9)],
)
def test_the_coverage_of_exchangeable_nodes_is_the_promised_one(
    count: int, coverage: float
) -> None:
    """Exact for one threshold: the mean over samples is between c and c + 1 / (n + 1)."""
    generator = np.random.default_rng(count)
    hits = []
    for _ in range(400):
        probabilities, truth = draw_nodes(generator, count + 100)
        given = probabilities[np.arange(len(truth)), truth]
        threshold = find_threshold(given[:count], np.arange(count), coverage)
        hits.append((given[count:] >= threshold).mean())
    error = 5 * np.std(hits) / np.sqrt(len(hits))
    assert coverage - error <= np.mean(hits) <= coverage + 1 / (count + 1) + error


def test_every_class_with_enough_nodes_has_the_coverage() -> None:
    generator = np.random.default_rng(1)
    hits: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for _ in range(100):
        probabilities, truth = draw_nodes(generator, 2000)
        sets = make_sets(probabilities[:600], truth[:600], 0.9)
        assert sets is not None
        assert len(set(sets.bins.tolist())) == 3
        inside = sets.exceed(probabilities[600:])[np.arange(1400), truth[600:]]
        for one, found in hits.items():
            found.append(float(inside[truth[600:] == one].mean()))
    for found in hits.values():
        error = 5 * np.std(found) / np.sqrt(len(found))
        assert 0.9 - error <= np.mean(found) <= 0.9 + 1 / LEAST_IN_BIN + error


def test_a_new_group_has_the_coverage_and_single_nodes_would_not_show_it() -> None:
    """Nodes of a group share their probability; large groups are hard."""
    generator = np.random.default_rng(2)
    by_group, by_node = [], []
    for _ in range(300):
        hard = generator.random(60) < 0.3
        sizes = np.where(hard, 1, 8)
        share = np.where(hard, generator.uniform(0, 0.5, 60), generator.uniform(0.5, 1, 60))
        groups = np.repeat(np.arange(60), sizes)
        first = groups < 40
        given = share[groups]
        fair = find_threshold(given[first], groups[first], 0.9)
        flat = find_threshold(given[first], np.arange(first.sum()), 0.9)
        by_group.append((share[40:] >= fair).mean())
        by_node.append((share[40:] >= flat).mean())
    assert np.mean(by_group) >= 0.9 - 5 * np.std(by_group) / np.sqrt(300)
    assert np.mean(by_node) < 0.85


def test_groups_are_counted_for_the_resolution() -> None:
    probabilities, truth = draw_nodes(np.random.default_rng(3), 80)
    assert make_sets(probabilities, truth, 0.9, np.arange(80) // 10) is None
    sets = make_sets(probabilities, truth, 0.9, np.arange(80) // 5)
    assert sets is not None
    assert sets.units == 16


def test_sets_grow_with_the_coverage_and_always_hold_the_most_probable_class() -> None:
    probabilities, truth = draw_nodes(np.random.default_rng(4), 500)
    last = np.zeros_like(probabilities, dtype=bool)
    for coverage in np.linspace(LOWEST_COVERAGE, HIGHEST_COVERAGE, 12):
        sets = make_sets(probabilities, truth, float(coverage))
        assert sets is not None
        inside = sets.contain(probabilities)
        assert (inside | ~last).all()
        assert inside[np.arange(500), probabilities.argmax(axis=1)].all()
        last = inside


def test_a_written_out_conformal_predictor_gives_the_same_sets() -> None:
    """An oracle by p-values: a class belongs to the set if its p-value exceeds 1 - c."""
    probabilities, truth = draw_nodes(np.random.default_rng(5), 90)
    asked, _ = draw_nodes(np.random.default_rng(6), 40)
    sets = make_sets(probabilities, truth, 0.83)
    assert sets is not None
    scores = [1 - probabilities[place, one] for place, one in enumerate(truth)]
    for row, inside in zip(asked, sets.exceed(asked), strict=True):
        for one, share in enumerate(row):
            peers = [
                s for s, c in zip(scores, truth, strict=True) if sets.bins[c] == sets.bins[one]
            ]
            value = (sum(s >= 1 - share for s in peers) + 1) / (len(peers) + 1)
            assert inside[one] == (value > 1 - 0.83)


@pytest.mark.parametrize(
    ("counts", "bins"),
    [
        ([50, 60], [0, 1]),
        ([50, 10, 60], [0, 0, 1]),
        ([10, 20, 30], [0, 0, 0]),
        ([49, 2, 70, 80], [0, 0, 1, 2]),
        ([0, 90], [0, 0]),
    ],
)
def test_small_classes_share_a_threshold(counts: list[int], bins: list[int]) -> None:
    assert assign_bins(np.array(counts), 50).tolist() == bins
