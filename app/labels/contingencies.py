"""Labels that take an outage at a time: N-1 exposure and demand lost with a bus."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from app.errors import LabelsRejected
from app.grid.grid import Grid, LabelSet
from app.power.flow import BASE_MVA, ComplexArray, PowerCase, Solution
from app.power.flow_klu import Solver, choose_solver
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

N1_EXPOSURE = "n1_exposure"
MW_LOST = "mw_lost"
LONG_KINDS = (N1_EXPOSURE, MW_LOST)
_MOST_BRANCHES = 20_000
_LOWEST, _HIGHEST, _MOST_CHANGE = 0.9, 1.1, 0.05
_SMALLEST_IMPEDANCE = 1e-6
_SECURE, _EXPOSED, _CUT_OFF = range(3)
_NONE, _OWN, _OTHERS = range(3)

OnStep = Callable[[int, int], None]
"""Called with how many outages are done and how many there are."""


def make_power_case(grid: Grid, bus_types: LabelSet | None) -> tuple[PowerCase, ComplexArray]:
    """Return the equations of a stored grid and its voltages.

    Raises: LabelsRejected naming every column that is missing.
    """
    bus = {
        name: grid.find_column(name) for name in ("Pd", "Qd", "Vm", "Va", "Pg", "Qg", "Gs", "Bs")
    }
    columns = grid.branch_columns
    branch = {name: name in columns.names for name in ("r", "x", "b", "tap", "shift")}
    faults = [Fault("kind", f"needs the bus column {name!r}") for name in bus if bus[name] is None]
    faults += [
        Fault("kind", f"needs the branch column {name!r}") for name in branch if not branch[name]
    ]
    if bus_types is None:
        faults.append(Fault("kind", "needs the label set 'bus_type' with a slack bus"))
    if grid.branch_count > _MOST_BRANCHES:
        faults.append(Fault("kind", f"is computed for at most {_MOST_BRANCHES:,} branches"))
    if faults or bus_types is None:
        raise LabelsRejected("These labels cannot be made.", faults)
    given = {name: column for name, column in bus.items() if column is not None}
    table = {name: columns.values[:, columns.names.index(name)] for name in branch}
    return _make_case(grid, given, table, bus_types)


def _make_case(
    grid: Grid, bus: dict[str, FloatArray], branch: dict[str, FloatArray], bus_types: LabelSet
) -> tuple[PowerCase, ComplexArray]:
    impedance = _complex(branch["r"], branch["x"])
    impedance[np.abs(impedance) < _SMALLEST_IMPEDANCE] = 1j * _SMALLEST_IMPEDANCE
    shift, angles = np.deg2rad(branch["shift"]), np.deg2rad(bus["Va"])
    case = PowerCase(
        ends=grid.ends,
        impedance=impedance,
        charging=branch["b"],
        ratio=_complex(branch["tap"] * np.cos(shift), branch["tap"] * np.sin(shift)),
        shunt=_complex(bus["Gs"], bus["Bs"]) / BASE_MVA,
        injection=_complex(bus["Pg"] - bus["Pd"], bus["Qg"] - bus["Qd"]) / BASE_MVA,
        types=bus_types.classes,
    )
    return case, _complex(bus["Vm"] * np.cos(angles), bus["Vm"] * np.sin(angles))


def label_exposure(
    grid: Grid, bus_types: LabelSet | None, on_step: OnStep, solver: Solver | None = None
) -> LabelSet:
    """Take every branch out in turn and class the buses by the worst that happens to them.

    Cost: one power flow a branch that is no bridge.
    Raises: LabelsRejected if the grid lacks columns or its base case has no solution.
    """
    case, start = make_power_case(grid, bus_types)
    solve = solver or choose_solver()
    base = solve(case, start, None)
    if not base.converged:
        fault = Fault("kind", "the base case of this grid has no power-flow solution")
        raise LabelsRejected("These labels cannot be made.", [fault])
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
    before = _count_neighbours(len(case.types), case.ends)
    after = _count_neighbours(len(case.types), case.ends[in_service])
    smaller: BoolArray = 2 * after < before
    return smaller


def _count_neighbours(bus_count: int, ends: IntArray) -> IntArray:
    """Return the size of the part that each bus belongs to."""
    part = _find_parts(bus_count, ends)
    sizes: IntArray = np.bincount(part)[part]
    return sizes


def label_demand_lost(grid: Grid, on_step: OnStep) -> LabelSet:
    """Take every bus out in turn and class it by whose demand is left without generation.

    Raises: LabelsRejected if the grid lacks demand or generators.
    """
    demand, generators = check_demand(grid)
    drawn = np.maximum(demand, 0.0)
    classes = np.where(drawn > 0, _OWN, _NONE).astype(np.int64)
    candidates = _find_candidates(grid, generators)
    unfed = _lost_already(grid, drawn, generators)
    for step, bus in enumerate(candidates, start=1):
        touching = (grid.ends == bus).any(axis=1)
        part = _find_parts(grid.bus_count, grid.ends[~touching])
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
    """Return demand and generators in service of the buses. Raises: LabelsRejected."""
    demand, generators = grid.find_column("Pd"), grid.find_column("generators_in_service")
    if demand is None or generators is None:
        problem = "needs the columns 'Pd' and 'generators_in_service'"
        raise LabelsRejected("These labels cannot be made.", [Fault("kind", problem)])
    return demand, generators


def _lost_already(grid: Grid, drawn: FloatArray, generators: FloatArray) -> float:
    part = _find_parts(grid.bus_count, grid.ends)
    fed = np.bincount(part, weights=generators) > 0
    return float(drawn[~fed[part]].sum())


def _find_candidates(grid: Grid, generators: FloatArray) -> list[int]:
    """Return the buses whose loss can matter to others: cut buses, and buses that generate."""
    import igraph

    graph = igraph.Graph(n=grid.bus_count, edges=grid.ends.tolist())
    return sorted({*graph.articulation_points(), *np.flatnonzero(generators > 0).tolist()})


def _find_bridges(grid: Grid) -> set[int]:
    import igraph

    return set(igraph.Graph(n=grid.bus_count, edges=grid.ends.tolist()).bridges())


def _find_parts(bus_count: int, ends: IntArray) -> IntArray:
    shape = (bus_count, bus_count)
    links = sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


def _complex(real: FloatArray, imaginary: FloatArray) -> ComplexArray:
    return np.asarray(real + 1j * imaginary, dtype=np.complex128)
