import numpy as np
import pytest

from ml.trust.calibration import fit_temperature, measure_reliability, scale_temperature


def test_the_error_of_a_hand_case() -> None:
    # Two nodes at 0.9, one right: gap 0.4. Two nodes at 0.6, both right: gap 0.4.
    shares = np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    found = measure_reliability(shares, np.array([0, 1, 1, 1]))
    assert found.counts.tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 0, 2]
    assert found.error == pytest.approx(0.4)


def test_probabilities_that_are_right_as_often_as_they_say_have_no_error() -> None:
    generator = np.random.default_rng(0)
    shares = generator.dirichlet(np.ones(3), 100_000)
    truth = (generator.random(100_000)[:, None] > shares.cumsum(axis=1)).sum(axis=1)
    assert measure_reliability(shares, truth).error < 0.01


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_temperature_scaling_undoes_a_temperature(temperature: float) -> None:
    generator = np.random.default_rng(1)
    shares = generator.dirichlet(np.full(3, 5.0), 4_000)
    truth = (generator.random(4_000)[:, None] > shares.cumsum(axis=1)).sum(axis=1)
    wrong = scale_temperature(shares, 1 / temperature)
    assert fit_temperature(wrong, truth) == pytest.approx(temperature, rel=0.15)
    assert scale_temperature(wrong, temperature) == pytest.approx(shares, abs=1e-6)


def test_without_nodes_nothing_is_scaled() -> None:
    assert fit_temperature(np.zeros((0, 2)), np.zeros(0, dtype=np.int64)) == 1
