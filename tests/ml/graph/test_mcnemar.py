import numpy as np
import pytest
from scipy.stats import binomtest

from ml.graph.mcnemar import PairedCount, count_pairs


def test_the_four_outcomes_are_counted() -> None:
    first = np.array([True, True, False, False, True])
    second = np.array([True, False, True, False, False])
    found = count_pairs(first, second)
    assert found == PairedCount(both=1, only_first=2, only_second=1, neither=1)
    assert found.count == 5


@pytest.mark.parametrize("pair", [(0, 1), (6, 10), (10, 6), (0, 20), (7, 7), (400, 300)])
def test_the_p_value_is_that_of_a_fair_coin(pair: tuple[int, int]) -> None:
    counted = PairedCount(both=3, only_first=pair[0], only_second=pair[1], neither=2)
    assert counted.p_value == pytest.approx(binomtest(pair[0], sum(pair)).pvalue)


def test_without_a_bus_that_decides_nothing_is_unlikely() -> None:
    assert PairedCount(both=5, only_first=0, only_second=0, neither=5).p_value == 1
