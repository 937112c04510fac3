"""AC power flow by Newton's method; no file can set options of the solver."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from ml.arrays import BoolArray, FloatArray, IntArray

ComplexArray: TypeAlias = npt.NDArray[np.complex128]

BASE_MVA = 100.0
TOLERANCE = 1e-6
MOST_ITERATIONS = 12
PV, SLACK = 1, 2


@dataclass(frozen=True, eq=False, kw_only=True)
class PowerCase:
    """Input of a power flow, per unit on 100 MVA, angles in radians.

    Shapes: ends (E, 2), other branch columns (E,), bus columns (N,); ``types`` 0 PQ, 1 PV,
        2 slack; buses of other types are outside the system of equations.
    """

    ends: IntArray
    impedance: ComplexArray
    charging: FloatArray
    ratio: ComplexArray
    """Tap ratio with phase shift, 1 for a line."""
    shunt: ComplexArray
    injection: ComplexArray
    """Generation minus demand."""
    types: IntArray


@dataclass(frozen=True, eq=False)
class Solution:
    """Voltages (N,), and whether they solve the equations."""

    voltages: ComplexArray
    converged: bool


def make_admittance(case: PowerCase, in_service: BoolArray | None = None) -> Any:
    """Return the bus admittance matrix.

    Equation: MATPOWER manual, Eq. (3.2): ``Yff = (ys + j b/2) / |t|^2``, ``Yft = -ys / t*``,
        ``Ytf = -ys / t``, ``Ytt = ys + j b/2``.
    Shapes: (N, N) sparse, complex; scipy's stubs have no complex sparse arrays.
    """
    status = np.ones(len(case.ends)) if in_service is None else in_service.astype(np.float64)
    series = status / case.impedance
    to_to = series + status * 0.5j * case.charging
    from_from = to_to / np.abs(case.ratio) ** 2
    source, target = case.ends.T
    count = len(case.types)
    rows = np.concatenate([source, source, target, target, np.arange(count)])
    columns = np.concatenate([source, target, source, target, np.arange(count)])
    values = np.concatenate(
        [from_from, -series / case.ratio.conj(), -series / case.ratio, to_to, case.shunt]
    )
    return sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(count, count)))


def measure_mismatch(case: PowerCase, voltages: ComplexArray) -> ComplexArray:
    """Return the power imbalance of given voltages at every bus, (N,), per unit."""
    admittance = make_admittance(case)
    mismatch: ComplexArray = voltages * np.conj(admittance @ voltages) - case.injection
    return mismatch


def solve(case: PowerCase, start: ComplexArray, in_service: BoolArray | None = None) -> Solution:
    """Solve the power flow from given voltages.

    Equation: Newton in polar coordinates on ``S(V) = V (Y V)*``; Tinney and Hart (1967).
    Deviation: no reactive limits, no tap changers: a bus keeps its type.
    Cost: one sparse LU of the (2 N)-dimensional Jacobian per iteration.
    """
    admittance = make_admittance(case, in_service)
    voltages = start.astype(np.complex128)
    angle_rows = np.flatnonzero((case.types == 0) | (case.types == PV))
    magnitude_rows = np.flatnonzero(case.types == 0)
    for _ in range(MOST_ITERATIONS):
        mismatch = voltages * np.conj(admittance @ voltages) - case.injection
        residual = np.concatenate([mismatch.real[angle_rows], mismatch.imag[magnitude_rows]])
        if not np.isfinite(residual).all():
            return Solution(start, converged=False)
        if not len(residual) or np.abs(residual).max() < TOLERANCE:
            return Solution(voltages, converged=True)
        jacobian = _make_jacobian(admittance, voltages, angle_rows, magnitude_rows)
        try:
            step = splu(jacobian).solve(-residual)
        except RuntimeError:  # singular
            return Solution(start, converged=False)
        angles, magnitudes = np.angle(voltages), np.abs(voltages)
        angles[angle_rows] += step[: len(angle_rows)]
        magnitudes[magnitude_rows] += step[len(angle_rows) :]
        voltages = magnitudes * np.exp(1j * angles)
    return Solution(start, converged=False)


def _make_jacobian(
    admittance: Any, voltages: ComplexArray, angle_rows: IntArray, magnitude_rows: IntArray
) -> Any:
    """Return the derivatives of the residual; MATPOWER Technical Note 2, Eqs. (48) and (49)."""
    current = admittance @ voltages
    diagonal = sp.diags_array(voltages)
    unit = sp.diags_array(voltages / np.abs(voltages))
    by_magnitude = diagonal @ (admittance @ unit).conj() + sp.diags_array(current.conj()) @ unit
    by_angle = 1j * (diagonal @ (sp.diags_array(current) - admittance @ diagonal).conj())
    by_angle, by_magnitude = sp.csr_array(by_angle), sp.csr_array(by_magnitude)
    blocks = [
        [
            by_angle.real[angle_rows][:, angle_rows],
            by_magnitude.real[angle_rows][:, magnitude_rows],
        ],
        [
            by_angle.imag[magnitude_rows][:, angle_rows],
            by_magnitude.imag[magnitude_rows][:, magnitude_rows],
        ],
    ]
    return sp.csc_array(sp.block_array(blocks, format="csc"))
