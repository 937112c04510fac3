from typing import Any

import numpy as np
import pytest
from scipy import stats

from experiments.report.comparison import compare, summarise


def runs(*accuracies: float) -> list[dict[str, Any]]:
    return [{"seed": seed, "accuracy": value} for seed, value in enumerate(accuracies)]


def test_the_difference_agrees_with_the_paired_t_test() -> None:
    first, second = (0.8, 0.7, 0.9, 0.6), (0.7, 0.72, 0.8, 0.55)
    gap = compare(runs(*first), runs(*second))
    assert gap is not None
    oracle = stats.ttest_rel(np.array(first) * 100, np.array(second) * 100)
    interval = oracle.confidence_interval(0.95)
    assert gap.p_value == pytest.approx(oracle.pvalue)
    assert (gap.low, gap.high) == pytest.approx((interval.low, interval.high))


def test_only_shared_seeds_are_compared() -> None:
    gap = compare(runs(0.5, 0.6, 0.7), runs(0.4, 0.5))
    assert gap is not None
    assert gap.pairs == 2
    assert gap.mean == pytest.approx(10)


def test_one_shared_seed_is_not_enough_for_a_comparison() -> None:
    assert compare(runs(0.5), runs(0.4)) is None


def test_a_summary_is_in_percent_with_the_sample_deviation() -> None:
    summary = summarise(runs(0.5, 0.7))
    assert summary.mean == pytest.approx(60)
    assert summary.seeds == 2
    assert summary.deviation == pytest.approx(np.std([50, 70], ddof=1))
