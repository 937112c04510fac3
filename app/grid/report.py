"""Import report of a grid: what was kept, assumed and dropped."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType

from app.grid.difference import GridDifference
from app.grid.grid import (
    CoordinateSystem,
    Grid,
    LabelSet,
    SubstationSource,
    TextColumn,
    find_islands,
)
from app.grid.listing import MOST_LISTED, Listing, make_listing

_MOST_COMMON = 10


class ColumnInfo(Struct, frozen=True):
    """Name and unit of a column."""

    name: str
    unit: str | None = None


class Dropped(Struct, frozen=True):
    """Branches of the source that are not in the grid."""

    self_loops: Listing
    out_of_service_branches: int | UnsetType = UNSET
    branches_without_weight: int | UnsetType = UNSET


class WeightReport(Struct, frozen=True):
    """The option that the branch weights were made with."""

    choice: str
    definition: str | UnsetType = UNSET


class GeneratorCounts(Struct, frozen=True):
    """Generators of the source."""

    in_service: int
    out_of_service: int


class FlowCheck(Struct, frozen=True):
    """Result of comparing the voltages of a file with its power flow."""

    done: bool
    reason: str | UnsetType = UNSET
    converged_from_flat_start: bool | UnsetType = UNSET
    largest_mismatch_mva: float | UnsetType = UNSET
    at_bus: str | UnsetType = UNSET
    converged: bool | UnsetType = UNSET
    voltages_solve_it: bool | UnsetType = UNSET
    largest_voltage_change_pu: float | UnsetType = UNSET


class ColumnNotKept(Struct, frozen=True):
    """A column of the source that is no feature, and the cells that are not numbers."""

    name: str
    not_numbers: Listing


class TopologyColumns(Struct, frozen=True):
    """Columns computed from the topology."""

    added: list[str]
    betweenness_pivots: int


class SubstationReport(Struct, frozen=True):
    """Substations of a grid; without a source every bus counts as a separate substation."""

    count: int
    largest: int
    source: SubstationSource | None = None


class TextColumnReport(Struct, frozen=True):
    """A text column of the buses that can become a label set: "108 values on 456 buses"."""

    name: str
    values: int
    buses: int
    most_common: dict[str, int]
    """The ten values on most buses, with the number of buses."""


class CheckCounts(Struct, frozen=True):
    """Findings of the checks of the grid model by severity, and the path that lists them."""

    errors: int
    warnings: int
    notes: int
    path: str = ""


class VersionChange(Struct, frozen=True):
    """What a new version took over from the version before it, and what has changed."""

    of: str
    difference: GridDifference
    labels_carried_over: list[str]
    aliases_carried_over: list[str]


class SourceNotes(Struct, frozen=True, kw_only=True):
    """Remarks of one format's reader; each format sets its own."""

    statements_applied: list[str] | UnsetType = UNSET
    parts_not_read: list[str] | UnsetType = UNSET
    tables_not_read: dict[str, int] | UnsetType = UNSET
    statements_not_read: dict[str, int] | UnsetType = UNSET
    files_missing: list[str] | UnsetType = UNSET
    switches: dict[str, int] | UnsetType = UNSET
    buses_without_supply: int | UnsetType = UNSET
    reference_system: str | UnsetType = UNSET


class ImportReport(SourceNotes, frozen=True, kw_only=True):
    """The report of one import; a part that does not apply is left out of the JSON."""

    buses: int
    branches: int
    branch_kinds: dict[str, int]
    islands: int
    largest_island: int
    isolated_buses: Listing
    parallel_branches: Listing
    dropped: Dropped
    coordinates: CoordinateSystem
    features: list[ColumnInfo]
    bus_columns: list[ColumnInfo]
    branch_columns: list[ColumnInfo]
    labels: dict[str, dict[str, int]]
    notes: list[str]
    weight: WeightReport | UnsetType = UNSET
    power_flow: FlowCheck | UnsetType = UNSET
    generators: GeneratorCounts | UnsetType = UNSET
    base_mva: float | UnsetType = UNSET
    columns_not_kept: list[ColumnNotKept] | UnsetType = UNSET
    topology_columns: TopologyColumns | UnsetType = UNSET
    format: str | UnsetType = UNSET
    substations: SubstationReport | UnsetType = UNSET
    text_columns: list[TextColumnReport] = []
    version: VersionChange | UnsetType = UNSET
    checks: CheckCounts | UnsetType = UNSET
    names_cleaned: Listing = Listing(0, [])
    """Texts of the file in which control characters were replaced, as they are now."""

    def add_notes(self, notes: Sequence[str]) -> "ImportReport":
        """Return the report with further notes."""
        return msgspec.structs.replace(self, notes=[*self.notes, *notes])


@dataclass(frozen=True, eq=False)
class ReadGrid:
    """Result of every reader: the grid, its label sets and the import report."""

    grid: Grid
    label_sets: tuple[LabelSet, ...]
    report: ImportReport


def make_report(
    grid: Grid, label_sets: Sequence[LabelSet], dropped: Dropped, notes: Sequence[str]
) -> ImportReport:
    """Describe a grid; ``dropped`` counts the branches of the source that are not in it."""
    sizes = np.bincount(find_islands(grid.bus_count, grid.ends), minlength=1)
    isolated = np.flatnonzero(np.bincount(grid.ends.ravel(), minlength=grid.bus_count) == 0)
    return ImportReport(
        buses=grid.bus_count,
        branches=grid.branch_count,
        branch_kinds=_count_kinds(grid),
        islands=len(sizes),
        largest_island=int(sizes.max()),
        isolated_buses=make_listing(grid.bus_ids[bus] for bus in isolated),
        parallel_branches=_list_parallel(grid),
        dropped=dropped,
        coordinates=grid.coordinate_system,
        features=_name_units(grid.feature_names, grid.feature_units),
        bus_columns=_name_units(grid.bus_columns.names, grid.bus_columns.units),
        branch_columns=_name_units(grid.branch_columns.names, grid.branch_columns.units),
        labels=count_classes(label_sets),
        notes=list(notes),
        text_columns=describe_texts(grid),
    )


def describe_texts(grid: Grid) -> list[TextColumnReport]:
    """Count the values and the buses of every text column."""
    return [_describe_text(name, column) for name, column in grid.text_columns.items()]


def _describe_text(name: str, column: TextColumn) -> TextColumnReport:
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    most = np.argsort(-counts, kind="stable")[:_MOST_COMMON]
    shown = {column.values[code]: int(counts[code]) for code in most}
    return TextColumnReport(name, len(column.values), int(counts.sum()), shown)


def count_classes(label_sets: Sequence[LabelSet]) -> dict[str, dict[str, int]]:
    """Return the number of buses per class, by label set."""
    return {label_set.name: label_set.class_counts() for label_set in label_sets}


def _name_units(names: Sequence[str], units: Sequence[str]) -> list[ColumnInfo]:
    return [ColumnInfo(name, unit or None) for name, unit in zip(names, units, strict=True)]


def _count_kinds(grid: Grid) -> dict[str, int]:
    counts = np.bincount(grid.kinds, minlength=len(grid.kind_names)).tolist()
    return dict(zip(grid.kind_names, counts, strict=True))


def _list_parallel(grid: Grid) -> Listing:
    low, high = grid.ends.min(axis=1, initial=grid.bus_count), grid.ends.max(axis=1, initial=-1)
    pairs = np.sort(low * grid.bus_count + high)
    repeats = pairs[1:][pairs[1:] == pairs[:-1]]
    shown = [
        f"{grid.bus_ids[pair // grid.bus_count]}-{grid.bus_ids[pair % grid.bus_count]}"
        for pair in dict.fromkeys(repeats[:MOST_LISTED].tolist())
    ]
    return Listing(len(repeats), shown)
