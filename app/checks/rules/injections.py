"""Rules on demand and generation: units, and balance of the whole grid."""

import numpy as np

from app.checks.checked_grid import BRANCH_KINDS, PER_UNIT_MVA, CheckedGrid
from app.checks.rule import Hits, Rule, at_buses
from app.power.tables import sum_by_bus

_MOST_TIMES = 10.0
_LEAST_LOADS = 3


def _find_too_large(checked: CheckedGrid) -> Hits:
    net = checked.bus("Pg") - checked.bus("Pd")
    # A coupler or a link without impedance carries any power.
    impedance = np.hypot(checked.branch("r"), checked.branch("x"))
    carries = np.divide(
        PER_UNIT_MVA, impedance, out=np.full(len(impedance), np.inf), where=impedance > 0
    )
    ends, count = checked.grid.ends, checked.grid.bus_count
    most = sum_by_bus(count, ends.ravel(), np.repeat(carries, 2))
    where = (np.abs(net) > most) & (checked.degree > 0)
    over = np.divide(np.abs(net), most, out=np.ones(count), where=where)
    return at_buses(where, over, mw=net, most_mw=most, times=over)


def _find_imbalance(checked: CheckedGrid) -> Hits:
    demand, generation = checked.bus("Pd"), checked.bus("Pg")
    drawn, made = demand.sum(), generation.sum()
    if np.count_nonzero(demand) < _LEAST_LOADS or drawn <= 0 or made <= _MOST_TIMES * drawn:
        return Hits()
    largest = np.argsort(-generation, kind="stable")[: np.count_nonzero(generation > 0)]
    numbers = {"generation": made, "demand": drawn, "times": made / drawn}
    return Hits(
        1, buses=[largest], numbers={name: np.array([one]) for name, one in numbers.items()}
    )


RULES = (
    Rule(
        name="injection-exceeds-branches",
        severity="error",
        title="Demand or generation that the branches of the bus cannot carry",
        why="At 1 p.u. a branch carries at most 100 MVA divided by its impedance per unit. More "
        "than the sum over the branches of a bus has no power-flow solution: the power is "
        "probably in kW, or an impedance is in ohm.",
        fix="Give demand and generation in MW, and impedances per unit of the stated base.",
        sentence="{element} injects {mw:.6g} MW; its branches carry at most {most_mw:.4g} MW",
        find=_find_too_large,
        needs=("Pd", "Pg", "r", "x", BRANCH_KINDS),
    ),
    Rule(
        name="generation-exceeds-demand",
        severity="warning",
        title="Generation far above demand",
        why=f"The sum of the generation exceeds {_MOST_TIMES:g} times the sum of the demand: one "
        "of them has another unit, or most of the demand is missing.",
        fix="Give both in MW, and import the loads with the grid.",
        sentence="{generation:.6g} MW are generated and {demand:.6g} MW drawn",
        find=_find_imbalance,
        needs=("Pd", "Pg"),
    ),
)
