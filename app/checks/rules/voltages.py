"""Rules on voltages: base voltages of the ends of branches, tap ratios, solved voltages."""

import numpy as np

from app.checks.checked_grid import BRANCH_KINDS, CheckedGrid
from app.checks.rule import Hits, Rule, at_branches, at_buses
from ml.arrays import BoolArray

_SAME_LEVEL = 1.06
"""Ratio of base voltages up to which two buses are of one level: 380 and 400 kV are."""
_LEAST_TAP, _MOST_TAP = 0.6, 1.5
_LOWEST_PU, _HIGHEST_PU = 0.7, 1.3


def _find_lines(checked: CheckedGrid) -> Hits:
    where = checked.lines & (checked.voltage_ratio > _SAME_LEVEL)
    low, high = checked.end_kv.min(axis=1), checked.end_kv.max(axis=1)
    return at_branches(where, checked.voltage_ratio, low_kv=low, high_kv=high)


def _find_equal_transformers(checked: CheckedGrid) -> Hits:
    known = (checked.end_kv > 0).all(axis=1)
    acts = np.abs(checked.branch("tap") - 1) + np.abs(checked.branch("shift")) > 0
    where = checked.transformers & known & (checked.voltage_ratio == 1) & ~acts
    if len(np.unique(checked.bus("base_kv"))) < 2:
        where = np.zeros_like(where)  # one voltage for the whole grid: base voltages not filled in
    kv = checked.end_kv[:, 0]
    return at_branches(where, kv, kv=kv)


def _find_unexplained(checked: CheckedGrid) -> Hits:
    grid = checked.grid
    joins: BoolArray = checked.lines & (checked.end_kv > 0).all(axis=1)
    differs = joins & (checked.voltage_ratio > _SAME_LEVEL)
    count = grid.bus_count
    different = np.bincount(grid.ends[differs].ravel(), minlength=count)
    source, target = grid.ends.T
    low = np.full(count, np.inf)
    np.minimum.at(low, source[joins], checked.end_kv[joins, 1])
    np.minimum.at(low, target[joins], checked.end_kv[joins, 0])
    high = np.zeros(count)
    np.maximum.at(high, source[joins], checked.end_kv[joins, 1])
    np.maximum.at(high, target[joins], checked.end_kv[joins, 0])
    # All branches of the bus are lines to buses of one other level.
    where = (different > 0) & (different == checked.degree) & (high <= low * _SAME_LEVEL)
    # Of two buses that only have each other, neither is the odd one.
    alone = (different[source] == checked.degree[source]) & (
        different[target] == checked.degree[target]
    )
    where[grid.ends[alone & differs & (checked.degree[grid.ends].max(axis=1) == 1)].ravel()] = False
    return at_buses(where, different.astype(float), kv=checked.bus("base_kv"), neighbours_kv=low)


def _find_without_voltage(checked: CheckedGrid) -> Hits:
    missing = np.flatnonzero(checked.bus("base_kv") <= 0)
    if not len(missing):
        return Hits()
    count, total = np.array([len(missing)]), np.array([checked.grid.bus_count])
    return Hits(1, buses=[missing], numbers={"missing": count, "buses": total})


def _find_taps(checked: CheckedGrid) -> Hits:
    tap = checked.branch("tap")
    where = checked.is_kind("transformer") & ((tap < _LEAST_TAP) | (tap > _MOST_TAP))
    return at_branches(where, np.abs(tap - 1), tap=tap)


def _find_magnitudes(checked: CheckedGrid) -> Hits:
    magnitude = checked.bus("Vm")
    outside = (magnitude < _LOWEST_PU) | (magnitude > _HIGHEST_PU)
    return at_buses(outside & (checked.degree > 0), np.abs(magnitude - 1), vm=magnitude)


RULES = (
    Rule(
        name="line-between-voltages",
        severity="error",
        title="Line between different voltages",
        why="A line has one voltage: with two base voltages its impedance per unit is wrong, and "
        "so is every flow through it.",
        fix="Model the branch as a transformer, or correct the base voltage of one end.",
        sentence="{element} joins {low_kv:g} kV and {high_kv:g} kV",
        find=_find_lines,
        needs=("base_kv", BRANCH_KINDS),
    ),
    Rule(
        name="transformer-between-equal-voltages",
        severity="note",
        title="Transformer between equal voltages, with ratio 1 and no phase shift",
        why="It transforms nothing. Regulators and phase shifters look like this in their middle "
        "position; otherwise a base voltage is wrong, or the branch is a line.",
        fix="Check the base voltages of both ends; model a line or a coupler as such.",
        sentence="{element}: both ends have {kv:g} kV",
        find=_find_equal_transformers,
        needs=("base_kv", "tap", "shift", BRANCH_KINDS),
    ),
    Rule(
        name="voltage-unexplained",
        severity="error",
        title="Base voltage of a bus that no path explains",
        why="All branches of the bus are lines to buses of another voltage level, and no "
        "transformer leads to it.",
        fix="Give the bus the base voltage of its neighbours, or add the missing transformer.",
        sentence="{element} has {kv:g} kV, all its neighbours {neighbours_kv:g} kV",
        find=_find_unexplained,
        needs=("base_kv", BRANCH_KINDS),
    ),
    Rule(
        name="voltage-missing",
        severity="warning",
        title="Buses without a base voltage",
        why="Without a base voltage, ohms and amperes cannot be computed, and rules on voltages "
        "skip the buses.",
        fix="Fill in the base voltage in kV.",
        sentence="{missing:.0f} of {buses:.0f} buses have no base voltage",
        find=_find_without_voltage,
        needs=("base_kv",),
    ),
    Rule(
        name="tap-implausible",
        severity="warning",
        title="Tap ratio far from 1",
        why=f"Off-nominal ratios lie near 1. A ratio outside {_LEAST_TAP:g} to {_MOST_TAP:g} is "
        "usually the ratio of the voltages themselves, or a base voltage is wrong.",
        fix="Give the ratio per unit of the base voltages of both ends.",
        sentence="{element} has the tap ratio {tap:g}",
        find=_find_taps,
        needs=("tap",),
    ),
    Rule(
        name="voltage-magnitude",
        severity="warning",
        title="Voltage magnitude that no grid is operated at",
        why=f"Voltages outside {_LOWEST_PU:g} to {_HIGHEST_PU:g} p.u. point to a power flow that "
        "did not converge, to volts instead of per unit, or to a wrong base voltage.",
        fix="Solve the power flow again and store its voltages in per unit.",
        sentence="{element} has {vm:g} p.u.",
        find=_find_magnitudes,
        needs=("Vm",),
    ),
)
