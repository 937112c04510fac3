"""Tables of a power-system file -> grid, label sets and import report."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec
import numpy as np

from app.errors import GridRejected
from app.grid.describe import make_report
from app.grid.grid import Columns, Grid
from app.grid.listing import join_first, make_listing
from app.grid.report import Dropped, GeneratorCounts, ReadGrid, WeightReport
from app.grid.text_rules import find_text_problem
from app.ingest.build.clean_names import NameCleaner
from app.ingest.build.flow_check import check_power_flow
from app.ingest.build.power_labels import make_label_sets
from app.ingest.build.text_columns import choose_text_columns
from app.ingest.build.unit_checks import check_units
from app.ingest.build.weights import Weights, make_weights, parse_weight_choice
from app.ingest.protocol import Request
from app.power.flow import BASE_MVA
from app.power.tables import KIND_NAMES, PowerTables, sum_by_bus
from ml.arrays import BoolArray, FloatArray
from ml.errors import Fault

_PER_UNIT = "p.u. of 100 MVA"


def build_power_grid(tables: PowerTables, request: Request) -> ReadGrid:
    """Turn tables into a grid without out-of-service branches and self-loops; all buses stay.

    Raises: GridRejected listing every fault.
    """
    weight = parse_weight_choice(request.options.weight or "one")
    cleaner = NameCleaner()
    tables = cleaner.clean_tables(tables)
    faults = [*_size_faults(tables, request), *_number_faults(tables)]
    if faults:
        raise GridRejected("The grid has errors.", faults)
    tables = _rebase(tables)
    weights = make_weights(tables.branches, weight, tables.absent)
    kept, dropped = _choose_branches(tables, weights)
    grid = replace(_make_grid(tables, weights, kept), name=_choose_name(tables, request))
    label_sets = make_label_sets(tables)
    report = make_report(grid, label_sets, dropped, _list_notes(tables, weights))
    active = tables.generators.in_service
    report = msgspec.structs.replace(
        report,
        weight=WeightReport(weight, weights.definition),
        power_flow=check_power_flow(tables, kept) if request.options.check else None,
        generators=GeneratorCounts(int(active.sum()), int((~active).sum())),
        base_mva=tables.base_mva,
        names_cleaned=cleaner.list_changed(),
        places=msgspec.structs.replace(
            report.places, reference_system=tables.buses.reference_system
        ),
        **msgspec.structs.asdict(tables.notes),
    )
    return ReadGrid(grid, label_sets, report)


def _choose_name(tables: PowerTables, request: Request) -> str:
    usable = find_text_problem(tables.name) is None
    return request.options.name or (tables.name if usable else f"{tables.source} grid")


def _make_grid(tables: PowerTables, weights: Weights, kept: BoolArray) -> Grid:
    buses = tables.buses
    names, units, values = _features(tables)
    unknown = np.full((tables.bus_count, 2), np.nan)
    return Grid(
        name=tables.name,
        source=tables.source,
        bus_ids=buses.ids,
        aliases=dict(buses.aliases),
        coordinates=unknown if buses.coordinates is None else buses.coordinates,
        coordinate_system=buses.coordinate_system,
        feature_names=names,
        feature_units=units,
        features=values,
        ends=tables.branches.ends[kept],
        weights=weights.values[kept],
        kinds=tables.branches.kinds[kept],
        kind_names=KIND_NAMES,
        bus_columns=_bus_columns(tables, kept),
        branch_columns=_branch_columns(tables, kept),
        substations=buses.substations,
        text_columns=choose_text_columns(buses.texts),
    )


def _features(tables: PowerTables) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    buses = tables.buses
    columns = {
        "Pd": ("MW", buses.demand),
        "Qd": ("Mvar", buses.reactive_demand),
        "Vm": ("p.u.", buses.magnitude),
        "Va": ("degree", buses.angle),
        "base_kv": ("kV", buses.base_kv),
    }
    present = {
        name: pair
        for name, pair in columns.items()
        if name not in tables.absent and np.isfinite(pair[1]).all()
    }
    values = [column for _, column in present.values()]
    units = tuple(unit for unit, _ in present.values())
    return tuple(present), units, np.column_stack(values)


def _bus_columns(tables: PowerTables, kept: BoolArray) -> Columns:
    generators = tables.generators
    active = generators.in_service
    at = generators.buses[active]
    connected = np.bincount(generators.buses, minlength=tables.bus_count)
    degree = np.bincount(tables.branches.ends[kept].ravel(), minlength=tables.bus_count)

    def at_bus(values: FloatArray) -> FloatArray:
        return sum_by_bus(tables.bus_count, at, values[active])

    columns = {
        "Gs": ("MW", tables.buses.conductance),
        "Bs": ("Mvar", tables.buses.susceptance),
        "degree": ("", degree.astype(np.float64)),
        "Pg": ("MW", at_bus(generators.power)),
        "Qg": ("Mvar", at_bus(generators.reactive_power)),
        "Pmax": ("MW", at_bus(generators.capacity)),
        "generators": ("", connected.astype(np.float64)),
        "generators_in_service": ("", at_bus(np.ones(len(active)))),
    }
    return _join_columns(columns, tables.absent)


def _branch_columns(tables: PowerTables, kept: BoolArray) -> Columns:
    branches = tables.branches
    columns = {
        "r": (_PER_UNIT, branches.resistance),
        "x": (_PER_UNIT, branches.reactance),
        "b": (_PER_UNIT, branches.charging),
        "rating": ("MVA", branches.rating),
        "tap": ("", branches.tap),
        "shift": ("degree", branches.shift),
    }
    every = {name: (unit, values[kept]) for name, (unit, values) in columns.items()}
    return _join_columns(every, tables.absent)


def _join_columns(columns: Mapping[str, tuple[str, FloatArray]], absent: frozenset[str]) -> Columns:
    present = {name: pair for name, pair in columns.items() if name not in absent}
    if not present:
        return Columns()
    units = tuple(unit for unit, _ in present.values())
    return Columns(tuple(present), units, np.column_stack([value for _, value in present.values()]))


def _rebase(tables: PowerTables) -> PowerTables:
    """Bring impedances to 100 MVA, so that grids of different files can be compared."""
    factor = BASE_MVA / tables.base_mva
    branches = replace(
        tables.branches,
        resistance=tables.branches.resistance * factor,
        reactance=tables.branches.reactance * factor,
        charging=tables.branches.charging / factor,
    )
    return replace(tables, branches=branches)


def _choose_branches(tables: PowerTables, weights: Weights) -> tuple[BoolArray, Dropped]:
    branches = tables.branches
    loops = branches.in_service & (branches.ends[:, 0] == branches.ends[:, 1])
    connecting = branches.in_service & ~loops
    kept = connecting & weights.usable
    dropped = Dropped(
        self_loops=make_listing(tables.buses.ids[bus] for bus in branches.ends[loops, 0]),
        out_of_service_branches=int(np.count_nonzero(~branches.in_service)),
        branches_without_weight=int(np.count_nonzero(connecting & ~weights.usable)),
    )
    return kept, dropped


def _list_notes(tables: PowerTables, weights: Weights) -> list[str]:
    notes = [*tables.remarks, *([weights.assumption] if weights.assumption else [])]
    if tables.absent:
        notes.append(f"the format does not have: {', '.join(sorted(tables.absent))}")
    if not np.isfinite(tables.buses.magnitude).all():
        notes.append("the file lacks voltages: Vm and Va are not among the features")
    notes.extend(check_units(tables))
    notes.extend(_lone_regions(tables))
    return notes


def _lone_regions(tables: PowerTables) -> Iterator[str]:
    for kind, names in tables.buses.regions.items():
        if len(set(names)) == 1:
            yield f"every bus has the same {kind} {names[0]!r}: there is no label set {kind!r}"


def _size_faults(tables: PowerTables, request: Request) -> Iterator[Fault]:
    if not tables.bus_count:
        yield Fault("bus", "the file has no buses")
    if tables.bus_count > request.limits.buses:
        count, most = tables.bus_count, request.limits.buses
        yield Fault("bus", f"{count:,} buses exceed the limit of {most:,}")
    if len(tables.branches.ends) > request.limits.branches:
        count = len(tables.branches.ends)
        yield Fault("branch", f"{count:,} branches exceed the limit of {request.limits.branches:,}")
    seen: set[str] = set()
    for bus_id in tables.buses.ids:
        if bus_id in seen:
            yield Fault(f"bus {bus_id}", "is given more than once")
        seen.add(bus_id)


def _number_faults(tables: PowerTables) -> Iterator[Fault]:
    buses, branches, generators = tables.buses, tables.branches, tables.generators
    columns = {
        "bus Pd": buses.demand,
        "bus Qd": buses.reactive_demand,
        "bus Gs": buses.conductance,
        "bus Bs": buses.susceptance,
        "bus base kV": buses.base_kv,
        "branch r": branches.resistance,
        "branch x": branches.reactance,
        "branch b": branches.charging,
        "branch rating": branches.rating,
        "branch tap": branches.tap,
        "branch shift": branches.shift,
        "generator P": generators.power,
        "generator Q": generators.reactive_power,
        "generator Pmax": generators.capacity,
    }
    for where, values in columns.items():
        unusable = np.flatnonzero(~np.isfinite(values))
        if len(unusable):
            rows = join_first((unusable + 1).tolist())
            yield Fault(where, f"is not a finite number in row(s) {rows}")
