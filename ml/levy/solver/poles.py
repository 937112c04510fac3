"""Approximation of powers by partial fractions, which makes ``L^g`` a sum of sparse solves."""

import math
import warnings
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.interpolate import AAA

from ml.arrays import FloatArray
from ml.errors import ToleranceNotReached

SMALLEST_LOW = 2.0**-44
_SAMPLES = 400
_CHECKS = 4001
_MAX_POLES = 60
_ATTEMPTS = (1.5, 0.7, 0.3, 0.1)
"""Tolerances tried with AAA, as shares of the requested one; least squares refits the residues."""
_CLOSEST = 2e-13


@dataclass(frozen=True, eq=False)
class PartialFractions:
    """``r(x) = slope x + constant + sum_j residues_j / (x + shifts_j)``, close to ``x^g``.

    ``error`` is the largest ``|r(x) - x^g|`` found in [low, 1] on points the fit did not see.
    Shapes: shifts (P,) positive, residues (P,).
    """

    shifts: FloatArray
    residues: FloatArray
    constant: float
    slope: float
    error: float

    @property
    def at_zero(self) -> float:
        """``r(0)``, which is subtracted on the null space."""
        return float(self(np.zeros(1))[0])

    def __call__(self, points: FloatArray) -> FloatArray:
        """Evaluate ``r``. Shapes: (K,) -> (K,)."""
        fractions = 1 / (points[:, None] + self.shifts)
        return np.asarray(self.slope * points + self.constant + fractions @ self.residues)


@lru_cache(maxsize=256)
def fit_power(gamma: float, low: float, tolerance: float) -> PartialFractions:
    """Find few real negative poles for ``x^g`` on ``[low, 1]``; results are cached.

    Equation: Sec. III-A needs ``lambda^g``; ``r(L) = sum_j r_j (L + t_j I)^-1 + c I`` gives it
        wherever ``r`` is close to the power on the spectrum.
    Deviation: poles by the AAA algorithm (Nakatsukasa, Sete, Trefethen 2018) on points even
        in ``log x``, residues by least squares, the error measured on other points. Where that
        falls short, which happens as gamma nears one, the poles are those of ``x^(g-1)`` and
        ``r`` has a slope.
    Cost: about 10 ms; 10 to 20 poles for ``low`` down to 1e-6.
    Raises: ToleranceNotReached, with the best error reached, if no real negative poles suffice.
    """
    if not SMALLEST_LOW <= low < 1:
        raise ToleranceNotReached(
            f"a spectrum that reaches down to {low:.1e} of its upper end is beyond double precision"
        )
    points = _points(low)
    best = math.inf
    for sloped, share in product((False, True), _ATTEMPTS):
        shifts = _find_shifts(points, gamma - sloped, max(share * tolerance, _CLOSEST))
        if shifts is not None:
            fractions = _fit_residues(points, shifts, gamma, sloped=sloped)
            best = min(best, fractions.error)
            if fractions.error <= tolerance:
                return fractions
    raise ToleranceNotReached(
        f"x^{gamma:g} on [{low:.1e}, 1] was approximated to {best:.1e}, requested {tolerance:.1e}"
    )


def _points(low: float) -> FloatArray:
    """Return sample points even in ``log x``, denser towards both ends."""
    angles = np.linspace(np.pi, 0, _SAMPLES)
    return np.asarray(np.exp(np.log(low) * (1 - np.cos(angles)) / 2))


def _find_shifts(points: FloatArray, exponent: float, tolerance: float) -> FloatArray | None:
    """Return the poles of an approximation with their sign changed, if all are real."""
    values = points**exponent
    with warnings.catch_warnings():
        # AAA warns when it stops short of its tolerance; the error is measured anyway.
        warnings.simplefilter("ignore", RuntimeWarning)
        approximation = AAA(points, values, rtol=tolerance, max_terms=_MAX_POLES, clean_up=False)
        poles = approximation.poles()
    if not np.all((np.abs(poles.imag) <= 1e-9 * np.abs(poles)) & (poles.real < 0)):
        return None
    return np.sort(-poles.real)


def _fit_residues(
    points: FloatArray, shifts: FloatArray, gamma: float, *, sloped: bool
) -> PartialFractions:
    terms = [1 / (points[:, None] + shifts), np.ones((len(points), 1))]
    if sloped:
        terms.append(points[:, None])
    basis = np.hstack(terms)
    scale = basis.max(axis=0)
    solution = np.linalg.lstsq(basis / scale, points**gamma, rcond=None)[0] / scale
    constant, *slope = solution[len(shifts) :].tolist()
    parts = (shifts, solution[: len(shifts)], constant, slope[0] if slope else 0.0)
    checks = np.geomspace(points.min(), 1.0, _CHECKS)
    error = np.abs(PartialFractions(*parts, math.inf)(checks) - checks**gamma).max()
    return PartialFractions(*parts, float(error))
