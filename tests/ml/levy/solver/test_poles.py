"""Powers as sums of simple fractions."""

import numpy as np
import pytest

from ml.errors import ToleranceNotReached
from ml.levy.solver.poles import fit_power

GAMMAS = [0.001, 0.1, 0.5, 0.9, 0.999]


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("low", [2.0**-4, 2.0**-12, 2.0**-24])
def test_the_fit_is_within_its_tolerance_everywhere_on_the_interval(
    gamma: float, low: float
) -> None:
    tolerance = 1e-7 * gamma
    fractions = fit_power(gamma, low, tolerance)
    points = np.exp(np.random.default_rng(0).uniform(np.log(low), 0, 20_000))
    assert np.abs(fractions(points) - points**gamma).max() <= 1.01 * tolerance
    assert fractions.error <= tolerance


@pytest.mark.parametrize("gamma", GAMMAS)
def test_poles_are_negative_and_few(gamma: float) -> None:
    fractions = fit_power(gamma, 2.0**-20, 1e-7 * gamma)
    assert (fractions.shifts > 0).all()
    assert len(fractions.shifts) <= 20


def test_a_wider_spectrum_needs_more_poles() -> None:
    counts = [len(fit_power(0.1, 2.0**-exponent, 1e-9).shifts) for exponent in (4, 12, 20)]
    assert counts[0] < counts[1] < counts[2]


def test_the_same_question_is_answered_from_the_cache() -> None:
    assert fit_power(0.1, 2.0**-10, 1e-8) is fit_power(0.1, 2.0**-10, 1e-8)


def test_a_tolerance_out_of_reach_is_named_with_the_best_found() -> None:
    with pytest.raises(ToleranceNotReached, match=r"approximated to \d.*requested 1.0e-15"):
        fit_power(0.5, 2.0**-20, 1e-15)


@pytest.mark.parametrize("low", [0.0, 1e-20, 1.0, 2.0])
def test_an_interval_out_of_reach_is_named(low: float) -> None:
    with pytest.raises(ToleranceNotReached, match="double precision"):
        fit_power(0.5, low, 1e-6)
