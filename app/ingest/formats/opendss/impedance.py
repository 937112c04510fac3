"""Positive-sequence impedance of lines: given, by line code, or by the geometry of the wires."""

import math
from typing import NamedTuple

import numpy as np

from app.ingest.formats.opendss.elements import Circuit, CircuitElement
from app.ingest.formats.opendss.scan import is_yes
from app.power.flow import ComplexArray
from ml.arrays import FloatArray

METRES = {
    "mi": 1609.344,
    "kft": 304.8,
    "km": 1000.0,
    "m": 1.0,
    "ft": 0.3048,
    "in": 0.0254,
    "cm": 0.01,
    "mm": 0.001,
}
_EARTH_RESISTIVITY = 100.0
_THINNEST = 1e-15
"""Metres; test circuits describe an absent wire by a radius of 1e-11 m."""
_MATRICES = {"rmatrix": "r1", "xmatrix": "x1", "cmatrix": "c1"}
_DIRECT = ("r1", "x1", "c1", "b1")
_WIRES = ("geometry", "spacing", "wires", "cncables", "tscables")


class Impedance(NamedTuple):
    """Series ohm, shunt siemens and rated ampere of a whole line; zeros if it is not known."""

    ohm: complex
    siemens: float
    ampere: float
    is_known: bool


def measure_line(circuit: Circuit, line: CircuitElement) -> Impedance:
    """Return the impedance of a line.

    Deviation: capacitance by geometry is not computed and is 0.
    """
    constants = {"r1": 0.058, "x1": 0.1206, "c1": 3.4}
    length = circuit.number(line, "length", 1.0)
    unit, is_known = "", True
    for key in line.values:
        if key == "linecode":
            code = circuit.find("linecode", line.text(key))
            is_known = code is not None
            if code:
                constants, unit = _read_code(circuit, code, constants), code.text("units")
        elif key in _WIRES:
            geometry = circuit.find("linegeometry", line.text("geometry"))
            ohm = _measure_geometry(circuit, geometry) if geometry else None
            is_known, unit = ohm is not None, "m"
            if ohm is not None:
                constants = {"r1": ohm.real, "x1": ohm.imag, "c1": 0.0}
        elif key in _DIRECT or key in _MATRICES:
            constants, unit, is_known = _override(circuit, line, key, constants), "", True
        elif key == "switch" and is_yes(line.values[key]):
            constants, unit, length, is_known = {"r1": 1.0, "x1": 1.0, "c1": 1.1}, "", 0.001, True
    if not is_known:
        return Impedance(0j, 0.0, _rate(circuit, line), is_known=False)
    length *= _convert(line.text("units"), unit)
    siemens = 2 * math.pi * circuit.frequency * constants["c1"] * 1e-9 * length
    ohm = complex(constants["r1"], constants["x1"]) * length
    return Impedance(ohm, siemens, _rate(circuit, line), is_known=True)


def find_line_phases(circuit: Circuit, line: CircuitElement) -> int:
    """Return the number of phases by the last of ``phases``, ``linecode`` and ``geometry``."""
    phases = 3
    for key in line.values:
        if key == "phases":
            phases = circuit.count(line, key, 3)
        elif key in ("linecode", "geometry"):
            kind = "linecode" if key == "linecode" else "linegeometry"
            other = circuit.find(kind, line.text(key))
            phases = circuit.count(other, "nphases", 3) if other else phases
    return phases


def _convert(unit: str, target: str) -> float:
    """Return the factor from one unit of length to another; 1 if one of them is not given."""
    return METRES.get(unit, 1.0) / METRES[target] if unit in METRES and target in METRES else 1.0


def _rate(circuit: Circuit, line: CircuitElement) -> float:
    for kind, key in (("linecode", "linecode"), ("linegeometry", "geometry")):
        other = circuit.find(kind, line.text(key))
        if other and "normamps" not in line.values:
            return max(0.0, circuit.number(other, "normamps", 0.0))
    return max(0.0, circuit.number(line, "normamps", 0.0))


def _read_code(circuit: Circuit, code: CircuitElement, start: dict[str, float]) -> dict[str, float]:
    constants = start
    for key in code.values:
        if key in _DIRECT or key in _MATRICES:
            constants = _override(circuit, code, key, constants)
    if "kron" in code.values and {"rmatrix", "xmatrix"} <= code.values.keys():
        neutrals = [int(number) for number in code.values["kron"].split()]
        matrices = [_fill_matrix(circuit.rows(code, key)) for key in ("rmatrix", "xmatrix")]
        if matrices[0].shape == matrices[1].shape:
            ohm = _eliminate(matrices[0] + 1j * matrices[1], neutrals)
            constants |= {"r1": ohm.real, "x1": ohm.imag} if ohm is not None else {}
    return constants


def _fill_matrix(rows: list[list[float]]) -> FloatArray:
    """Return a symmetric matrix by its lower triangle."""
    matrix = np.zeros((len(rows), len(rows)))
    for at, row in enumerate(rows):
        known = row[: at + 1]
        matrix[at, : len(known)] = matrix[: len(known), at] = known
    return matrix


def _eliminate(matrix: ComplexArray, neutrals: list[int]) -> complex | None:
    """Eliminate conductors one after the other, each by its number at that time."""
    for neutral in neutrals:
        others = [at for at in range(len(matrix)) if at != neutral - 1]
        if len(others) == len(matrix) or not others:
            return None
        order = [*others, neutral - 1]
        reduced = _reduce(matrix[np.ix_(order, order)], len(others))
        if reduced is None:
            return None
        matrix = reduced
    return _find_positive_sequence(matrix)


def _override(
    circuit: Circuit, element: CircuitElement, key: str, constants: dict[str, float]
) -> dict[str, float]:
    """Replace one constant: by a number, or by the positive sequence of a matrix."""
    if key == "b1":
        micro = circuit.number(element, key, 0.0)
        return constants | {"c1": micro * 1e3 / (2 * math.pi * max(1.0, circuit.frequency))}
    if key in _DIRECT:
        return constants | {key: circuit.number(element, key, 0.0)}
    rows = circuit.rows(element, key)
    # The lower triangle is enough: the matrices are symmetric.
    own = [row[at] for at, row in enumerate(rows) if at < len(row)]
    mutual = [value for at, row in enumerate(rows) for value in row[:at]]
    between = sum(mutual) / len(mutual) if mutual else 0.0
    return constants | {_MATRICES[key]: sum(own) / len(own) - between if own else 0.0}


def _measure_geometry(circuit: Circuit, geometry: CircuitElement) -> complex | None:
    """Return ohm per metre of the positive sequence; None if a wire is not known.

    Equation: Carson's earth return in the modified form (Kersting, Distribution System
        Modeling, ch. 4), neutral conductors eliminated by Kron reduction.
    """
    count = circuit.count(geometry, "nconds", 3)
    phases = min(count, circuit.count(geometry, "nphases", count))
    omega = 2 * math.pi * circuit.frequency
    own, spots = [], []
    for at in range(1, count + 1):
        wire = circuit.find("wiredata", geometry.text(f"wire@{at}"))
        if wire is None:
            return None
        own.append(_measure_wire(circuit, wire))
        metres = METRES.get(geometry.text(f"units@{at}", geometry.text("units@1", "ft")), 0.3048)
        spots.append([circuit.number(geometry, f"{axis}@{at}", 0.0) * metres for axis in "xh"])
    resistances, radii = np.array(own).T
    offsets = np.array(spots)[:, np.newaxis] - np.array(spots)[np.newaxis]
    distances = np.hypot(offsets[..., 0], offsets[..., 1])
    np.fill_diagonal(distances, radii)
    if not (distances > _THINNEST).all() or circuit.frequency <= 0:
        return None
    earth = 658.5 * math.sqrt(_EARTH_RESISTIVITY / circuit.frequency)
    reactance = omega * 2e-7 * np.log(earth / distances)
    primitive = np.diag(resistances) + math.pi * omega * 0.5e-7 + 1j * reactance
    reduced = _reduce(primitive, phases)
    return None if reduced is None else _find_positive_sequence(reduced)


def _measure_wire(circuit: Circuit, wire: CircuitElement) -> tuple[float, float]:
    """Return ohm per metre and the geometric mean radius in metres."""
    per = METRES.get(wire.text("runits", "none"), 1.0)
    metres = METRES.get(wire.text("gmrunits", "none"), 1.0)
    resistance = circuit.number(wire, "rac", circuit.number(wire, "rdc", 0.0) * 1.02)
    return resistance / per, circuit.number(wire, "gmrac", 0.0) * metres


def _reduce(primitive: ComplexArray, phases: int) -> ComplexArray | None:
    """Eliminate the conductors after the phases (Kron); None if it is not possible."""
    kept = primitive[:phases, :phases]
    if phases < len(primitive):
        try:
            neutral = np.linalg.solve(primitive[phases:, phases:], primitive[phases:, :phases])
        except np.linalg.LinAlgError:
            return None
        kept = kept - primitive[:phases, phases:] @ neutral
    return kept


def _find_positive_sequence(matrix: ComplexArray) -> complex:
    own, count = np.diag(matrix), len(matrix)
    mutual = (matrix.sum() - own.sum()) / max(1, count * (count - 1))
    return complex(own.mean() - mutual)
