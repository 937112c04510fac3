"""Labels from simulated outages: N-1 exposure of buses, and demand lost with a bus."""

from collections.abc import Callable

import numpy as np

from app.errors import LabelsRejected
from app.grid.grid import Grid, LabelSet, find_islands
from app.power.case import list_missing_columns, make_case_of_grid
from app.power.flow import ComplexArray, PowerCase, Solution
from app.power.flow_klu import Solver, choose_solver
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

N1_EXPOSURE = "n1_exposure"
MW_LOST = "mw_lost"
LONG_KINDS = (N1_EXPOSURE, MW_LOST)
_MOST_BRANCHES = 20_000
_LOWEST, _HIGHEST, _MOST_CHANGE = 0.9, 1.1, 0.05
_SECURE, _EXPOSED, _CUT_OFF = range(3)
_NONE, _OWN, _OTHERS = range(3)

OnStep = Callable[[int, int], None]
"""Called after each outage with the number of outages done and their total."""


def make_outage_case(grid: Grid, bus_types: LabelSet | None) -> tuple[PowerCase, ComplexArray]:
    """Return the power-flow case of a stored grid and its voltages.

    Raises: LabelsRejected naming every missing column.
    """
    faults = [Fault("kind", f"needs {column}") for column in list_missing_columns(grid)]
    if bus_types is None:
        faults.append(Fault("kind", "needs the label set 'bus_type' with a slack bus"))
    if grid.branch_count > _MOST_BRANCHES:
        faults.append(Fault("kind", f"is computed for at most {_MOST_BRANCHES:,} branches"))
    if faults or bus_types is None:
        raise _reject(*faults)
    return make_case_of_grid(grid, bus_types.classes)


def label_exposure(
    grid: Grid, bus_types: LabelSet | None, on_step: OnStep, solver: Solver | None = None
) -> LabelSet:
    """Take out every branch in turn and class the buses by the worst effect on them.

    Cost: one power flow per branch that is not a bridge.
    Raises: LabelsRejected if the grid lacks columns or its base case has no solution.
    """
    case, start = make_outage_case(grid, bus_types)
    solve = solver or choose_solver()
    base = solve(case, start, None)
    if not base.converged:
        raise _reject(Fault("kind", "the base case of this grid has no power-flow solution"))
    bridges = _find_bridges(grid)
    classes = np.zeros(grid.bus_count, dtype=np.int64)
    for branch in range(grid.branch_count):
        in_service = np.ones(grid.branch_count, dtype=np.bool_)
        in_service[branch] = False
        if branch in bridges:
            classes[_find_cut_off(case, in_service)] = _CUT_OFF
        else:
            after = solve(case, base.voltages, in_service)
            exposed = _find_exposed(base.voltages, after) if after.converged else grid.ends[branch]
            classes[exposed] = np.maximum(classes[exposed], _EXPOSED)
        on_step(branch + 1, grid.branch_count)
    definition = (
        "worst case over all outages of one branch, AC power flow by Newton's method: "
        "cut off with the smaller side; else exposed: voltage leaves 0.9 to 1.1 p.u., moves by "
        "more than 0.05 p.u., or the flow has no solution and the bus is an end; else secure"
    )
    return LabelSet(N1_EXPOSURE, ("secure", "exposed", "cut off"), classes, definition, "catalogue")


def _find_exposed(base: ComplexArray, solution: Solution) -> IntArray:
    before, after = np.abs(base), np.abs(solution.voltages)
    inside = (before >= _LOWEST) & (before <= _HIGHEST)
    leaves = inside & ((after < _LOWEST) | (after > _HIGHEST))
    return np.flatnonzero(leaves | (np.abs(after - before) > _MOST_CHANGE))


def _find_cut_off(case: PowerCase, in_service: BoolArray) -> BoolArray:
    """Return the buses on the smaller side of the split."""
    before = _measure_islands(len(case.types), case.ends)
    after = _measure_islands(len(case.types), case.ends[in_service])
    smaller: BoolArray = 2 * after < before
    return smaller


def _measure_islands(bus_count: int, ends: IntArray) -> IntArray:
    """Return the size of the island of each bus."""
    part = find_islands(bus_count, ends)
    sizes: IntArray = np.bincount(part)[part]
    return sizes


def label_demand_lost(grid: Grid, on_step: OnStep) -> LabelSet:
    """Take out every bus in turn and class it by whose demand is left without generation.

    Raises: LabelsRejected if the grid lacks demand or generators.
    """
    demand, generators = check_demand(grid)
    drawn = np.maximum(demand, 0.0)
    classes = np.where(drawn > 0, _OWN, _NONE).astype(np.int64)
    candidates = _find_candidates(grid, generators)
    unfed = _measure_unfed(grid, drawn, generators)
    for step, bus in enumerate(candidates, start=1):
        touching = (grid.ends == bus).any(axis=1)
        part = find_islands(grid.bus_count, grid.ends[~touching])
        others = np.arange(grid.bus_count) != bus
        fed = np.bincount(part[others], weights=generators[others], minlength=part.max() + 1) > 0
        if drawn[others & ~fed[part]].sum() > unfed:
            classes[bus] = _OTHERS
        on_step(step, len(candidates))
    definition = (
        "demand left without a generator in service when the bus is lost: none, only its own, "
        "or that of others too"
    )
    return LabelSet(MW_LOST, ("none", "own", "others"), classes, definition, "catalogue")


def check_demand(grid: Grid) -> tuple[FloatArray, FloatArray]:
    """Return demand and number of generators in service per bus. Raises: LabelsRejected."""
    demand, generators = grid.find_column("Pd"), grid.find_column("generators_in_service")
    if demand is None or generators is None:
        raise _reject(Fault("kind", "needs the columns 'Pd' and 'generators_in_service'"))
    return demand, generators


def _measure_unfed(grid: Grid, drawn: FloatArray, generators: FloatArray) -> float:
    part = find_islands(grid.bus_count, grid.ends)
    fed = np.bincount(part, weights=generators) > 0
    return float(drawn[~fed[part]].sum())


def _find_candidates(grid: Grid, generators: FloatArray) -> list[int]:
    """Return the buses whose loss can affect others: cut buses and generator buses."""
    import igraph

    graph = igraph.Graph(n=grid.bus_count, edges=grid.ends.tolist())
    return sorted({*graph.articulation_points(), *np.flatnonzero(generators > 0).tolist()})


def _find_bridges(grid: Grid) -> set[int]:
    import igraph

    return set(igraph.Graph(n=grid.bus_count, edges=grid.ends.tolist()).bridges())


def _reject(*faults: Fault) -> LabelsRejected:
    return LabelsRejected("These labels cannot be computed for this grid.", faults)
