"""Matrices of a MATPOWER case -> power tables; shared by the text and the binary parser."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from app.errors import GridRejected
from app.grid.listing import join_first
from app.grid.report import SourceNotes
from app.power.tables import (
    LINE,
    TRANSFORMER,
    BranchTable,
    BusTable,
    GeneratorTable,
    PowerTables,
)
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

BUS_I, BUS_TYPE, PD, QD, GS, BS, BUS_AREA, VM, VA, BASE_KV, ZONE = range(11)
F_BUS, T_BUS, BR_R, BR_X, BR_B, RATE_A = range(6)
TAP, SHIFT, BR_STATUS = 8, 9, 10
GEN_BUS, PG, QG = range(3)
GEN_STATUS, PMAX = 7, 8
_ISOLATED = 3
_LEAST_COLUMNS = {"bus": 13, "branch": 11, "gen": 9}
_LARGEST_NUMBER = 2**53


@dataclass(frozen=True, eq=False, kw_only=True)
class MatpowerCase:
    """The parts of a case that make a grid, version 2."""

    name: str
    base_mva: float
    bus: FloatArray
    branch: FloatArray
    gen: FloatArray
    bus_names: tuple[str, ...] = ()
    notes: SourceNotes = field(default_factory=SourceNotes)


def to_power_tables(case: MatpowerCase) -> PowerTables:
    """Check the matrices and name their columns. Raises: GridRejected listing every fault."""
    faults = list(_shape_faults(case))
    if faults:
        raise GridRejected("The case is not complete.", faults)
    numbers = case.bus[:, BUS_I]
    faults = [*_bus_faults(case), *_end_faults(case)]
    if faults:
        raise GridRejected("The case has errors.", faults)
    order = np.argsort(numbers, kind="stable")
    isolated = case.bus[:, BUS_TYPE] == _ISOLATED + 1
    ends = np.column_stack(
        [_find(numbers, order, case.branch[:, column]) for column in (F_BUS, T_BUS)]
    )
    generators = _find(numbers, order, case.gen[:, GEN_BUS])
    return PowerTables(
        name=case.name or "MATPOWER case",
        source="matpower",
        base_mva=case.base_mva,
        buses=_make_buses(case),
        branches=_make_branches(case, ends, isolated),
        generators=_make_generators(case, generators, isolated),
        notes=case.notes,
    )


def _make_buses(case: MatpowerCase) -> BusTable:
    bus = case.bus
    ids = _as_text(bus[:, BUS_I])
    return BusTable(
        ids=ids,
        aliases={"name": case.bus_names} if case.bus_names else {},
        demand=bus[:, PD],
        reactive_demand=bus[:, QD],
        conductance=bus[:, GS],
        susceptance=bus[:, BS],
        magnitude=bus[:, VM],
        angle=bus[:, VA],
        base_kv=bus[:, BASE_KV],
        types=bus[:, BUS_TYPE].astype(np.int64) - 1,
        regions={"area": _as_text(bus[:, BUS_AREA]), "zone": _as_text(bus[:, ZONE])},
    )


def _make_branches(case: MatpowerCase, ends: IntArray, isolated: BoolArray) -> BranchTable:
    branch = case.branch
    transforms = _find_transformers(case, ends)
    return BranchTable(
        ends=ends,
        kinds=np.where(transforms, TRANSFORMER, LINE),
        resistance=branch[:, BR_R],
        reactance=branch[:, BR_X],
        charging=branch[:, BR_B],
        rating=branch[:, RATE_A],
        in_service=(branch[:, BR_STATUS] > 0) & ~isolated[ends].any(axis=1),
        tap=np.where(branch[:, TAP] == 0, 1.0, branch[:, TAP]),
        shift=branch[:, SHIFT],
    )


def _find_transformers(case: MatpowerCase, ends: IntArray) -> BoolArray:
    """Tell transformers by unequal voltages, a ratio or a phase shift; the format has no kinds.

    A ratio of 0 marks a line. The RTE cases give every branch a ratio: there, 1 marks a line.
    """
    ratio, base_kv = case.branch[:, TAP], case.bus[:, BASE_KV][ends]
    has_ratio = ratio != 0 if np.any(ratio == 0) else ratio != 1
    transforms: BoolArray = (
        has_ratio | (case.branch[:, SHIFT] != 0) | (base_kv[:, 0] != base_kv[:, 1])
    )
    return transforms


def _make_generators(case: MatpowerCase, at: IntArray, isolated: BoolArray) -> GeneratorTable:
    gen = case.gen
    capacity = np.where(np.isinf(gen[:, PMAX]), gen[:, PG], gen[:, PMAX])
    return GeneratorTable(
        buses=at,
        power=gen[:, PG],
        reactive_power=gen[:, QG],
        capacity=capacity,
        in_service=(gen[:, GEN_STATUS] > 0) & ~isolated[at],
    )


def _as_text(numbers: FloatArray) -> tuple[str, ...]:
    return tuple(map(str, numbers.astype(np.int64).tolist()))


def _find(numbers: FloatArray, order: IntArray, wanted: FloatArray) -> IntArray:
    return order[np.searchsorted(numbers, wanted, sorter=order)]


def _shape_faults(case: MatpowerCase) -> Iterator[Fault]:
    if not np.isfinite(case.base_mva) or case.base_mva <= 0:
        yield Fault("mpc.baseMVA", "is not a positive number")
    for name, matrix in (("bus", case.bus), ("branch", case.branch), ("gen", case.gen)):
        least = _LEAST_COLUMNS[name]
        if len(matrix) and matrix.shape[1] < least:
            yield Fault(f"mpc.{name}", f"has {matrix.shape[1]} columns; at least {least} expected")
        elif not len(matrix) and name == "bus":
            yield Fault("mpc.bus", "has no rows")
    if case.bus_names and len(case.bus_names) != len(case.bus):
        yield Fault("mpc.bus_name", f"names {len(case.bus_names)} of {len(case.bus)} buses")


def _bus_faults(case: MatpowerCase) -> Iterator[Fault]:
    numbers = case.bus[:, BUS_I]
    whole = _is_whole(numbers) & (numbers > 0)
    yield from _list_rows("mpc.bus", "bus number is not a positive integer", ~whole)
    _, first, count = np.unique(numbers, return_index=True, return_counts=True)
    repeated = np.zeros(len(numbers), dtype=bool)
    repeated[first[count > 1]] = True
    yield from _list_rows("mpc.bus", "bus number appears more than once", repeated)
    types = case.bus[:, BUS_TYPE]
    yield from _list_rows("mpc.bus", "bus type is not 1, 2, 3 or 4", ~np.isin(types, (1, 2, 3, 4)))
    for column, name in ((BUS_AREA, "area"), (ZONE, "zone")):
        yield from _list_rows(
            "mpc.bus", f"{name} is not an integer", ~_is_whole(case.bus[:, column])
        )
    voltages = ~np.isfinite(case.bus[:, VM] + case.bus[:, VA])
    yield from _list_rows("mpc.bus", "voltage is not a finite number", voltages)


def _end_faults(case: MatpowerCase) -> Iterator[Fault]:
    numbers = case.bus[:, BUS_I]
    for where, ends in (
        ("mpc.branch", case.branch[:, [F_BUS, T_BUS]]),
        ("mpc.gen", case.gen[:, [GEN_BUS]]),
    ):
        unknown = np.isin(ends, numbers, invert=True).sum(axis=1) > 0
        yield from _list_rows(where, "refers to a bus that mpc.bus does not have", unknown)
    switches = (
        ("mpc.branch", case.branch[:, BR_STATUS]),
        ("mpc.gen", case.gen[:, GEN_STATUS]),
        ("mpc.branch", case.branch[:, TAP]),
        ("mpc.branch", case.branch[:, SHIFT]),
    )
    for where, values in switches:
        yield from _list_rows(where, "status, tap or shift is not finite", ~np.isfinite(values))


def _is_whole(values: FloatArray) -> BoolArray:
    finite = np.isfinite(values) & (np.abs(values) < _LARGEST_NUMBER)
    whole: BoolArray = finite & (np.remainder(np.where(finite, values, 0.5), 1) == 0)
    return whole


def _list_rows(where: str, problem: str, at_fault: BoolArray) -> Iterator[Fault]:
    rows = np.flatnonzero(at_fault)
    if len(rows):
        yield Fault(where, f"{problem} in row(s) {join_first((rows + 1).tolist())}")
