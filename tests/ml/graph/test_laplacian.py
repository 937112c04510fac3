"""The Laplacian and the powers of degrees."""

import numpy as np
import pytest

from ml.errors import InvalidHyperparameter
from ml.graph.laplacian import check_exponents, degree_power, degrees_of, laplacian_of
from tests.ml.grids import ISOLATED, archipelago, make_graph


def test_the_laplacian_of_a_triangle_with_a_tail_is_as_written_by_hand() -> None:
    graph = make_graph([(0, 1), (1, 2), (0, 2), (2, 3)])
    expected = [[2, -1, -1, 0], [-1, 2, -1, 0], [-1, -1, 3, -1], [0, 0, -1, 1]]
    np.testing.assert_array_equal(laplacian_of(graph.adjacency).toarray(), expected)


def test_rows_of_the_laplacian_sum_to_zero() -> None:
    laplacian = laplacian_of(archipelago().adjacency).toarray()
    np.testing.assert_allclose(laplacian.sum(axis=1), 0, atol=1e-14)


def test_degrees_are_sums_of_weights_and_zero_for_an_isolated_node() -> None:
    graph = archipelago()
    degrees = degrees_of(graph.adjacency)
    np.testing.assert_allclose(degrees, graph.adjacency.toarray().sum(axis=1))
    assert degrees[ISOLATED] == 0


@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.0, 0.5])
def test_a_power_of_a_zero_degree_is_zero(exponent: float) -> None:
    powers = degree_power(np.array([0.0, 4.0]), exponent)
    np.testing.assert_allclose(powers, [0, 4**exponent])


def test_every_exponent_outside_its_interval_is_named() -> None:
    with pytest.raises(InvalidHyperparameter) as caught:
        check_exponents(gamma=0, sigma=1.1)
    assert [fault.where for fault in caught.value.faults] == ["gamma", "sigma"]
