"""Rules on impedances: zero, negative, and outside what a line of its voltage can have."""

import numpy as np

from app.checks.checked_grid import BRANCH_KINDS, GEOGRAPHIC, PER_UNIT_MVA, CheckedGrid
from app.checks.rule import Hits, Rule, at_branches
from ml.arrays import BoolArray, FloatArray

_LEAST_OHM_PER_KM, _MOST_OHM_PER_KM = 0.01, 3.0
"""Overhead lines have 0.25 to 0.5 ohm/km and cables 0.1; the bounds leave room for four parallel
circuits in one branch, and for detours around the straight line that is measured."""
_SHORTEST_KM = 2.0
"""Shorter lines are left out: their length is mostly error of the coordinates."""
_LEAST_SURGE_OHM, _MOST_SURGE_OHM = 5.0, 3000.0
"""Cables have 20 to 60 ohm, overhead lines 200 to 450; the bounds leave room for several circuits
in one branch and for compensated lines."""
_SAME_VOLTAGE = 1.01
_TRANSMISSION_KV = 100.0
_MOST_RESISTANCE = 5.0
"""Largest r/x of a line of the transmission grid; lines of thin wire have about 1."""
_MOST_TIMES = 200.0
_MOST_OUTLIERS = 0.02
"""Fraction of the lines of a voltage; more are no outliers but a part of the grid, such as the
equivalents of foreign grids."""
_REDUCED_SHARE = 0.05
"""Fraction of lines with negative resistance from which a grid is a reduced one."""
_LEAST_LINES = 30
"""Lines of one voltage that are needed before one of them can be called an outlier."""


def _find_zero(checked: CheckedGrid) -> Hits:
    impedance = np.hypot(checked.branch("r"), checked.branch("x"))
    where = (checked.lines | checked.is_kind("transformer")) & (impedance == 0)
    return at_branches(where, checked.branch("rating"))


def _find_negative_resistance(checked: CheckedGrid) -> Hits:
    where = _negative_lines(checked)
    if _is_reduced(checked):
        where = np.zeros_like(where)  # the rule reduced-network reports them in one finding
    resistance = checked.branch("r")
    return at_branches(where, -resistance, r=resistance, x=checked.branch("x"))


def _find_reduced(checked: CheckedGrid) -> Hits:
    if not _is_reduced(checked):
        return Hits()
    rows = np.flatnonzero(_negative_lines(checked))
    count, total = np.array([len(rows)]), np.array([np.count_nonzero(checked.lines)])
    return Hits(1, branches=[rows], numbers={"negative": count, "lines": total})


def _negative_lines(checked: CheckedGrid) -> BoolArray:
    chosen: BoolArray = checked.lines & (checked.branch("r") < 0)
    return chosen


def _is_reduced(checked: CheckedGrid) -> bool:
    negative, lines = np.count_nonzero(_negative_lines(checked)), np.count_nonzero(checked.lines)
    return bool(negative >= _LEAST_LINES and negative > _REDUCED_SHARE * lines)


def _find_negative_reactance(checked: CheckedGrid) -> Hits:
    reactance = checked.branch("x")
    return at_branches(checked.lines & (reactance < 0), -reactance, x=reactance)


def _find_negative_transformers(checked: CheckedGrid) -> Hits:
    resistance, reactance = checked.branch("r"), checked.branch("x")
    where = checked.is_kind("transformer") & ((resistance < 0) | (reactance < 0))
    return at_branches(where, -np.minimum(resistance, reactance), r=resistance, x=reactance)


def _find_by_length(checked: CheckedGrid) -> Hits:
    length = checked.length_km
    ohm = np.abs(_ohms(checked))
    where = _plain_lines(checked) & (length >= _SHORTEST_KM)
    per_km = np.divide(ohm, length, out=np.full(len(ohm), np.nan), where=where)
    outside = where & ((per_km < _LEAST_OHM_PER_KM) | (per_km > _MOST_OHM_PER_KM))
    distance = np.abs(np.log(np.where(outside, per_km, 0.3) / 0.3))
    return at_branches(
        outside, distance, ohm_per_km=per_km, km=length, ohm=ohm, kv=checked.end_kv[:, 0]
    )


def _find_surge_impedance(checked: CheckedGrid) -> Hits:
    charging = checked.branch("b")
    where = _plain_lines(checked) & (charging > 0)
    ratio = np.divide(checked.branch("x"), charging, out=np.full(len(where), np.nan), where=where)
    surge = np.sqrt(np.abs(ratio)) * checked.end_kv[:, 0] ** 2 / PER_UNIT_MVA
    outside = where & ((surge < _LEAST_SURGE_OHM) | (surge > _MOST_SURGE_OHM))
    distance = np.abs(np.log(np.where(outside, surge, 200.0) / 200.0))
    return at_branches(outside, distance, ohm=surge, kv=checked.end_kv[:, 0])


def _find_resistive(checked: CheckedGrid) -> Hits:
    resistance, reactance = checked.branch("r"), checked.branch("x")
    high = checked.end_kv.min(axis=1, initial=np.inf) >= _TRANSMISSION_KV
    where = _plain_lines(checked) & high & (resistance > _MOST_RESISTANCE * reactance)
    return at_branches(where, resistance, r=resistance, x=reactance, kv=checked.end_kv[:, 0])


def _find_outliers(checked: CheckedGrid) -> Hits:
    lines = _plain_lines(checked)
    size = np.log(np.where(lines, np.abs(checked.branch("x")), 1.0))
    _, level = np.unique(checked.end_kv[:, 0], return_inverse=True)
    typical = np.full(len(lines), np.nan)
    for one in np.flatnonzero(np.bincount(level[lines]) >= _LEAST_LINES):
        members = lines & (level == one)
        median = np.median(size[members])
        if np.mean(size[members] - median > np.log(_MOST_TIMES)) <= _MOST_OUTLIERS:
            typical[members] = median
    times = np.exp(size - typical)
    where = lines & (times > _MOST_TIMES)
    return at_branches(
        where, np.nan_to_num(times), times=times, x=checked.branch("x"), kv=checked.end_kv[:, 0]
    )


def _plain_lines(checked: CheckedGrid) -> BoolArray:
    """Return lines of one known voltage with an inductive reactance, (E,)."""
    known = (checked.end_kv > 0).all(axis=1) & (checked.voltage_ratio < _SAME_VOLTAGE)
    chosen: BoolArray = checked.lines & known & (checked.branch("x") > 0)
    return chosen


def _ohms(checked: CheckedGrid) -> FloatArray:
    ohms: FloatArray = checked.branch("x") * checked.end_kv[:, 0] ** 2 / PER_UNIT_MVA
    return ohms


RULES = (
    Rule(
        name="impedance-zero",
        severity="warning",
        title="Line or transformer without impedance",
        why="A power flow cannot divide by zero, and a weight by admittance is infinite: the "
        "branch is replaced by a very small reactance.",
        fix="Fill in r and x, or model the branch as a closed switch.",
        sentence="{element} has r = 0 and x = 0",
        find=_find_zero,
        needs=("r", "x", BRANCH_KINDS),
    ),
    Rule(
        name="resistance-negative",
        severity="warning",
        title="Line with negative resistance",
        why="A line consumes power; only equivalents of reduced grids have a negative r.",
        fix="Correct the sign of r, or mark the branch as an equivalent.",
        sentence="{element} has r = {r:g} p.u. (x = {x:g})",
        find=_find_negative_resistance,
        needs=("r", BRANCH_KINDS),
    ),
    Rule(
        name="reduced-network",
        severity="note",
        title="Grid that looks like a reduced network",
        why="Many lines have negative resistances: they are equivalents of a part that was left "
        "out, not lines. Labels and features that belong to real lines do not apply to them.",
        fix="Use the full grid if there is one; otherwise nothing needs to be done.",
        sentence="{negative:.0f} of {lines:.0f} lines have a negative resistance",
        find=_find_reduced,
        needs=("r", BRANCH_KINDS),
    ),
    Rule(
        name="reactance-negative",
        severity="note",
        title="Line with negative reactance",
        why="Series capacitors have negative reactances; lines do not.",
        fix="Check whether the branch is a series capacitor; otherwise correct the sign of x.",
        sentence="{element} has x = {x:g} p.u.",
        find=_find_negative_reactance,
        needs=("x", BRANCH_KINDS),
    ),
    Rule(
        name="transformer-impedance-negative",
        severity="note",
        title="Transformer with negative resistance or reactance",
        why="The star equivalent of a transformer with three windings often has one small negative "
        "branch; an ordinary transformer does not.",
        fix="Check whether an end is the centre of a star; otherwise correct the sign.",
        sentence="{element} has r = {r:g} and x = {x:g} p.u.",
        find=_find_negative_transformers,
        needs=("r", "x", BRANCH_KINDS),
    ),
    Rule(
        name="impedance-for-length",
        severity="warning",
        title="Reactance that does not suit the length of the line",
        why=f"Lines and cables have 0.1 to 0.5 ohm/km. Outside {_LEAST_OHM_PER_KM:g} to "
        f"{_MOST_OHM_PER_KM:g} ohm/km the impedance, its base or a place is wrong.",
        fix="Check the unit and the base of x, the base voltage and the coordinates.",
        sentence="{element}: {ohm:.4g} ohm over {km:.1f} km at {kv:g} kV, {ohm_per_km:.3g} ohm/km",
        find=_find_by_length,
        needs=("x", "base_kv", GEOGRAPHIC, BRANCH_KINDS),
    ),
    Rule(
        name="surge-impedance",
        severity="warning",
        title="Surge impedance that no line has",
        why="The square root of x/b does not depend on the length: cables have about 20 to 60 ohm, "
        f"overhead lines 200 to 450. Outside {_LEAST_SURGE_OHM:g} to {_MOST_SURGE_OHM:g} ohm, x, b "
        "or the base voltage is wrong.",
        fix="Check the units of x and b (per unit, not ohm or siemens) and the base voltage.",
        sentence="{element} has a surge impedance of {ohm:.3g} ohm at {kv:g} kV",
        find=_find_surge_impedance,
        needs=("x", "b", "base_kv", BRANCH_KINDS),
    ),
    Rule(
        name="resistance-above-reactance",
        severity="warning",
        title="Transmission line with far more resistance than reactance",
        why=f"From {_TRANSMISSION_KV:g} kV on, x exceeds r. With r above {_MOST_RESISTANCE:g} "
        "times x the two are probably exchanged.",
        fix="Exchange r and x, or correct the wrong one.",
        sentence="{element} has r = {r:g} and x = {x:g} p.u. at {kv:g} kV",
        find=_find_resistive,
        needs=("r", "x", "base_kv", BRANCH_KINDS),
    ),
    Rule(
        name="impedance-outlier",
        severity="warning",
        title="Reactance far above all other lines of the voltage",
        why=f"It exceeds the median of the lines of this voltage more than {_MOST_TIMES:g} times: "
        "the unit is wrong, or the branch is an equivalent of another grid.",
        fix="Check the unit and the decimal point of x; mark an equivalent as such.",
        sentence="{element} has x = {x:g} p.u., {times:.0f} times the median at {kv:g} kV",
        find=_find_outliers,
        needs=("x", "base_kv", BRANCH_KINDS),
    ),
)
