"""Import report of a grid: the same keys for every format; ``describe.py`` fills it in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from app.grid.difference import GridDifference
from app.grid.grid import CoordinateSystem, Grid, LabelSet, SubstationSource
from app.grid.listing import Listing

PlaceSource: TypeAlias = Literal["file", "request", "table", "towns"]
_NONE = Listing(0, [])


def _about(text: str) -> Meta:
    return Meta(description=text)


class ColumnInfo(Struct, frozen=True):
    """Name and unit of a column."""

    name: str
    unit: str | None = None


class Dropped(Struct, frozen=True):
    """Branches of the source that are not in the grid."""

    self_loops: Listing
    out_of_service_branches: int = 0
    branches_without_weight: int = 0


class WeightReport(Struct, frozen=True):
    """The option that the branch weights were made with."""

    choice: str
    definition: str


class GeneratorCounts(Struct, frozen=True):
    """Generators of the source."""

    in_service: int
    out_of_service: int


class SwitchCounts(Struct, frozen=True):
    """Switches of the source; those at the end of a branch put it out of service if open."""

    closed: int = 0
    open: int = 0
    open_at_branches: int = 0


class FlowCheck(Struct, frozen=True):
    """Result of comparing the voltages of a file with its power flow."""

    done: bool
    reason: str | None = None
    converged_from_flat_start: bool | None = None
    largest_mismatch_mva: float | None = None
    at_bus: str | None = None
    converged: bool | None = None
    voltages_solve_it: bool | None = None
    largest_voltage_change_pu: float | None = None


class ColumnNotKept(Struct, frozen=True):
    """A column of the source that is no feature, and the cells that are not numbers."""

    name: str
    not_numbers: Listing


class TopologyColumns(Struct, frozen=True):
    """Columns computed from the topology."""

    added: list[str]
    betweenness_pivots: int


class PlacesReport(Struct, frozen=True):
    """Where the coordinates of the buses come from."""

    buses: Annotated[int, _about("Number of buses with coordinates.")] = 0
    source: Annotated[
        PlaceSource | None,
        _about(
            "`file`; `request`: the field `coordinates` decided how they are read; `table`: the "
            "table of a built-in case; `towns`: the towns in the bus names of a built-in case."
        ),
    ] = None
    approximate: Annotated[
        bool, _about("Whether the places are only good enough for a map; training ignores them.")
    ] = False
    reference_system: Annotated[
        str | None, _about("Reference system that the coordinates were converted from.")
    ] = None


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
    most_common: Annotated[
        dict[str, int], _about("The ten values on most buses, with the number of buses.")
    ]


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
    """Remarks of one format's reader; a format leaves out what it does not have."""

    statements_applied: Annotated[
        list[str], _about("Statements of a MATPOWER case that were applied to its matrices.")
    ] = []
    parts_not_read: Annotated[list[str], _about("Files of an archive that were not read.")] = []
    tables_not_read: Annotated[dict[str, int], _about("Tables not read, with their rows.")] = {}
    statements_not_read: Annotated[
        dict[str, int], _about("Statements of OpenDSS not read, by kind.")
    ] = {}
    files_missing: Annotated[list[str], _about("Files named by an OpenDSS script.")] = []
    switches: Annotated[SwitchCounts, _about("Closed and open switches of the source.")] = (
        SwitchCounts()
    )
    buses_without_supply: Annotated[
        int | None, _about("Buses that no source supplies; null if the format does not show it.")
    ] = None


class ImportReport(SourceNotes, frozen=True, kw_only=True):
    """What was kept, assumed and dropped; null and empty mean that there is nothing to report."""

    format: Annotated[str, _about("Format of the source.")] = ""
    buses: Annotated[int, _about("Number of buses.")]
    branches: Annotated[int, _about("Number of branches in the grid.")]
    branch_kinds: Annotated[dict[str, int], _about("Branches by kind: line, transformer ...")]
    islands: Annotated[int, _about("Number of connected parts.")]
    largest_island: Annotated[int, _about("Buses of the largest island.")]
    isolated_buses: Annotated[Listing, _about("Buses without a branch.")]
    parallel_branches: Annotated[Listing, _about("Further branches between the same two buses.")]
    dropped: Annotated[Dropped, _about("Branches of the source that are not in the grid.")]
    coordinates: Annotated[
        CoordinateSystem,
        _about(
            "`geographic`: longitude and latitude; `approximate`: the same, for maps only; "
            "`schematic`: a drawing; or `none`."
        ),
    ]
    places: Annotated[PlacesReport, _about("Where the coordinates come from.")] = PlacesReport()
    features: Annotated[list[ColumnInfo], _about("Features of the buses, with units.")]
    bus_columns: Annotated[list[ColumnInfo], _about("Further columns of the buses.")]
    branch_columns: Annotated[list[ColumnInfo], _about("Columns of the branches.")]
    text_columns: Annotated[
        list[TextColumnReport], _about("Text columns that can become label sets.")
    ] = []
    columns_not_kept: Annotated[
        list[ColumnNotKept], _about("Columns that are not numbers in every row.")
    ] = []
    topology_columns: Annotated[
        TopologyColumns | None, _about("Columns added by `columns=topology`; null without it.")
    ] = None
    labels: Annotated[dict[str, dict[str, int]], _about("Label sets: buses per class.")]
    names_cleaned: Annotated[
        Listing, _about("Names in which control characters were replaced, as they are now.")
    ] = _NONE
    notes: Annotated[list[str], _about("Assumptions and warnings, as sentences.")]
    weight: Annotated[
        WeightReport | None, _about("Meaning of the branch weights; null for older grids.")
    ] = None
    generators: Annotated[
        GeneratorCounts | None, _about("Generators; null if the format has none.")
    ] = None
    base_mva: Annotated[
        float | None, _about("Power base of the source; null if the format has none.")
    ] = None
    power_flow: Annotated[
        FlowCheck | None, _about("Result of `check=power_flow`; null without it.")
    ] = None
    substations: Annotated[SubstationReport | None, _about("Substations of the buses.")] = None
    version: Annotated[
        VersionChange | None, _about("Changes since the version before; null for the first one.")
    ] = None
    checks: Annotated[
        CheckCounts | None, _about("Findings of the checks; null for older grids.")
    ] = None

    def add_notes(self, notes: Sequence[str]) -> "ImportReport":
        """Return the report with further notes."""
        return msgspec.structs.replace(self, notes=[*self.notes, *notes])


@dataclass(frozen=True, eq=False)
class ReadGrid:
    """Result of every reader: the grid, its label sets and the import report."""

    grid: Grid
    label_sets: tuple[LabelSet, ...]
    report: ImportReport
