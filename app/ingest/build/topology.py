"""Plain topology JSON -> grid; every fault of the whole topology is listed at once."""

import msgspec
import numpy as np
from msgspec import UNSET

from app.errors import GridRejected
from app.grid.describe import make_report
from app.grid.grid import Grid
from app.grid.listing import make_listing
from app.grid.report import Dropped, ImportReport, ReadGrid, WeightReport
from app.grid.text_rules import find_text_problem
from app.ingest.build.body import GraphIn, decode_graph_body
from app.ingest.build.branches import Branches, read_branches
from app.ingest.build.buses import (
    Features,
    read_coordinates,
    read_features,
    read_ids,
    read_labels,
    read_names,
    read_substations,
)
from app.ingest.build.clean_names import NameCleaner
from app.ingest.protocol import ReadLimits, Request
from ml.errors import Fault

_SOURCE = "topology"
GIVEN_WEIGHT = "weight of the branch, 1 for a branch without one"
_WEIGHT_NOTE = "A branch without a weight has weight 1; the weights of parallel branches are added."
_DEGREE_NOTE = (
    "The topology has no features: `degree`, the number of branches of a bus, is the only one."
)


def read(request: Request) -> ReadGrid:
    """Read a long body of POST /graphs in a reader process.

    Raises: MalformedBody, GridRejected with every fault.
    """
    graph, faults = decode_graph_body(request.files["file"])
    return read_topology(graph, request.limits, faults)


def read_topology(
    graph: GraphIn, limits: ReadLimits, faults: list[Fault], cleaner: NameCleaner | None = None
) -> ReadGrid:
    """Turn a decoded topology into a grid; ``faults`` are those of decoding.

    Control characters in names are replaced; in an id, which a client refers to, they are a fault.

    Raises: GridRejected with every fault.
    """
    buses = [] if graph.buses is UNSET else graph.buses
    links = [] if graph.branches is UNSET else graph.branches
    faults.extend(_missing_parts(graph, faults))
    _check_limits(len(buses), len(links), limits)
    cleaner = NameCleaner() if cleaner is None else cleaner
    ids = read_ids(buses, faults)
    names = read_names(buses, faults, cleaner)
    coordinates = read_coordinates(buses, faults)
    substations = read_substations(buses, faults, cleaner)
    features = read_features(buses, faults)
    label_sets = read_labels(buses, faults)
    branches = read_branches(links, ids, faults)
    name = _read_grid_name(graph, len(buses), faults)
    if faults:
        reject(faults)
    notes = [_WEIGHT_NOTE] if features.names else [_WEIGHT_NOTE, _DEGREE_NOTE]
    units = ("",) * len(features.names) or ("branches",)
    features = features if features.names else _count_degrees(len(ids), branches)
    grid = Grid(
        name=name,
        source=_SOURCE,
        bus_ids=ids,
        aliases={"name": names} if any(names) else {},
        coordinates=coordinates.values,
        coordinate_system=coordinates.system,
        feature_names=features.names,
        feature_units=units,
        features=features.values,
        ends=branches.ends,
        weights=branches.weights,
        kinds=branches.kinds,
        kind_names=branches.kind_names,
        substations=substations,
    )
    report = make_report(grid, label_sets, _dropped(ids, branches), notes)
    return ReadGrid(grid, label_sets, _complete_report(report, cleaner))


def _complete_report(report: ImportReport, cleaner: NameCleaner) -> ImportReport:
    weight = WeightReport("given", GIVEN_WEIGHT)
    return msgspec.structs.replace(report, weight=weight, names_cleaned=cleaner.list_changed())


def reject(faults: list[Fault]) -> None:
    """Reject a grid. Raises: GridRejected, always."""
    count = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
    raise GridRejected(f"The grid was not stored: {count}.", faults)


def _missing_parts(graph: GraphIn, earlier: list[Fault]) -> list[Fault]:
    reported = {fault.where for fault in earlier}
    parts = {"buses": graph.buses, "branches": graph.branches}
    missing = [name for name, part in parts.items() if part is UNSET and name not in reported]
    faults = [Fault(name, "is missing") for name in missing]
    if graph.buses == []:
        faults.append(Fault("buses", "is empty; a grid has at least one bus"))
    return faults


def _check_limits(buses: int, branches: int, limits: ReadLimits) -> None:
    faults = [
        Fault(where, f"{count:,} exceed the limit of {most:,}")
        for where, count, most in (
            ("buses", buses, limits.buses),
            ("branches", branches, limits.branches),
        )
        if count > most
    ]
    if faults:  # at once: the rest of a grid this large is not checked
        reject(faults)


def name_unnamed(bus_count: int) -> str:
    """Return the name of a topology that was sent without a name."""
    return f"topology of {bus_count} buses"


def _read_grid_name(graph: GraphIn, bus_count: int, faults: list[Fault]) -> str:
    if graph.name is UNSET:
        return name_unnamed(bus_count)
    problem = find_text_problem(graph.name)
    if problem is not None:
        faults.append(Fault("name", problem))
    return graph.name


def _count_degrees(bus_count: int, branches: Branches) -> Features:
    degrees = np.bincount(branches.ends.ravel(), minlength=bus_count).astype(np.float64)
    return Features(("degree",), degrees[:, np.newaxis])


def _dropped(ids: tuple[str, ...], branches: Branches) -> Dropped:
    return Dropped(self_loops=make_listing(ids[bus] for bus in branches.looped_buses))
