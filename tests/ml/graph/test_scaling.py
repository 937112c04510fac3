import json

import numpy as np
import pytest
from scipy.stats import rankdata

from ml.config.settings import Scaling
from ml.graph.scaling import MOST_KNOTS, FeatureScaling, fit_scaling

FEATURES = np.array([[1.0, 5.0, -2.0], [3.0, 5.0, 4.0], [8.0, 5.0, 1.0]])


def test_standard_scaling_gives_mean_zero_and_deviation_one() -> None:
    scaled = fit_scaling(FEATURES, "standard").transform(FEATURES)
    np.testing.assert_allclose(scaled[:, [0, 2]].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, [0, 2]].std(axis=0), 1)


def test_minmax_scaling_fills_zero_to_one() -> None:
    scaled = fit_scaling(FEATURES, "minmax").transform(FEATURES)
    np.testing.assert_allclose(scaled[:, [0, 2]].min(axis=0), 0)
    np.testing.assert_allclose(scaled[:, [0, 2]].max(axis=0), 1)


@pytest.mark.parametrize("kind", ["standard", "minmax", "quantile"])
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


def test_presence_tells_which_values_are_not_zero_in_rows_that_sum_to_one() -> None:
    features = np.array([[0.2, 0.0, -7.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    scaled = fit_scaling(features, "presence").transform(features)
    expected = np.array([[1 / 2, 0, 1 / 2], [0, 0, 0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(scaled, expected)


def test_presence_is_stored_only_where_it_matters() -> None:
    assert fit_scaling(FEATURES, "presence").as_dict()["presence"] is True
    assert fit_scaling(FEATURES, "minmax").as_dict().keys() == {"offset", "scale", "curves"}


def test_quantile_scaling_sees_the_order_only() -> None:
    stretched = np.sign(FEATURES) * np.abs(FEATURES) ** 3
    np.testing.assert_allclose(
        fit_scaling(FEATURES, "quantile").transform(FEATURES),
        fit_scaling(stretched, "quantile").transform(stretched),
    )


def test_quantile_scaling_agrees_with_scipy_on_ties() -> None:
    column = np.array([0.0, 0.0, 0.0, 2.0, 5.0, 5.0])
    ranks = (rankdata(column) - 0.5) / 6
    expected = (ranks - ranks.mean()) / ranks.std()
    scaled = fit_scaling(column[:, None], "quantile").transform(column[:, None])
    np.testing.assert_allclose(scaled[:, 0], expected)


def test_a_common_zero_stays_apart_from_small_values_on_large_grids() -> None:
    generator = np.random.default_rng(0)
    column = np.where(np.arange(50_000) % 2 == 0, 0.0, generator.lognormal(size=50_000))
    scaled = fit_scaling(column[:, None], "quantile").transform(column[:, None])[:, 0]
    assert scaled[1::2].min() - scaled[0] > 0.7


def test_large_grids_are_described_by_few_knots() -> None:
    column = np.random.default_rng(0).normal(size=(20_000, 1))
    scaling = fit_scaling(column, "quantile")
    assert len(scaling.curves[0][0]) == MOST_KNOTS
    exact = (rankdata(column) - 0.5) / 20_000
    exact = (exact - exact.mean()) / exact.std()
    np.testing.assert_allclose(scaling.transform(column)[:, 0], exact, atol=0.01)


@pytest.mark.parametrize("kind", ["quantile", "standard", "minmax", "presence", "none"])
def test_scaling_survives_json(kind: Scaling) -> None:
    scaling = fit_scaling(FEATURES, kind)
    again = FeatureScaling.from_dict(json.loads(json.dumps(scaling.as_dict())))
    other = FEATURES * 1.7 - 0.3
    np.testing.assert_array_equal(again.transform(other), scaling.transform(other))
