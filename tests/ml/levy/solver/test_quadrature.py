"""The slow oracle, against the spectrum and in its limits."""

import numpy as np
import pytest

from ml.levy.dense import fractional_laplacian
from ml.levy.solver.quadrature import apply_power
from tests.ml.grids import archipelago, random_signal


@pytest.mark.parametrize("gamma", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_the_quadrature_equals_the_spectral_power(gamma: float) -> None:
    graph = archipelago()
    signal = random_signal(22)
    expected = fractional_laplacian(graph.adjacency, gamma) @ signal
    found = apply_power(graph.adjacency, gamma, signal, lowest=1e-3)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_two_halves_make_a_whole() -> None:
    graph = archipelago()
    signal = random_signal(22)
    once = apply_power(graph.adjacency, 0.5, signal, lowest=1e-3)
    twice = apply_power(graph.adjacency, 0.5, once, lowest=1e-3)
    expected = fractional_laplacian(graph.adjacency, 1.0) @ signal
    np.testing.assert_allclose(twice, expected, atol=1e-8)
