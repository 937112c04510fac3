import numpy as np
import pytest

from ml.config import Scaling
from ml.scaling import fit_scaling

FEATURES = np.array([[1.0, 5.0, -2.0], [3.0, 5.0, 4.0], [8.0, 5.0, 1.0]])


def test_standard_scaling_gives_mean_zero_and_deviation_one() -> None:
    scaled = fit_scaling(FEATURES, "standard").transform(FEATURES)
    np.testing.assert_allclose(scaled[:, [0, 2]].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, [0, 2]].std(axis=0), 1)


def test_minmax_scaling_fills_zero_to_one() -> None:
    scaled = fit_scaling(FEATURES, "minmax").transform(FEATURES)
    np.testing.assert_allclose(scaled[:, [0, 2]].min(axis=0), 0)
    np.testing.assert_allclose(scaled[:, [0, 2]].max(axis=0), 1)


@pytest.mark.parametrize("kind", ["standard", "minmax"])
def test_a_constant_column_becomes_zero(kind: Scaling) -> None:
    scaled = fit_scaling(FEATURES, kind).transform(FEATURES)
    np.testing.assert_array_equal(scaled[:, 1], 0)


def test_a_large_constant_with_round_off_is_constant() -> None:
    almost = np.array([[1e6], [1e6 + 1e-10], [1e6]])
    assert fit_scaling(almost, "standard").scale.tolist() == [1.0]


def test_no_scaling_changes_nothing() -> None:
    np.testing.assert_array_equal(fit_scaling(FEATURES, "none").transform(FEATURES), FEATURES)


def test_another_graph_is_scaled_by_the_numbers_of_the_first() -> None:
    scaling = fit_scaling(FEATURES, "minmax")
    np.testing.assert_allclose(scaling.transform(np.array([[15.0, 6.0, -2.0]])), [[2, 1, 0]])
