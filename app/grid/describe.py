"""Describes a grid for its import report: counts, columns, labels, texts."""

from collections.abc import Sequence

import numpy as np

from app.grid.grid import Grid, LabelSet, TextColumn, find_islands
from app.grid.listing import MOST_LISTED, Listing, make_listing
from app.grid.report import ColumnInfo, Dropped, ImportReport, PlacesReport, TextColumnReport

_MOST_COMMON = 10


def make_report(
    grid: Grid, label_sets: Sequence[LabelSet], dropped: Dropped, notes: Sequence[str]
) -> ImportReport:
    """Describe a grid; ``dropped`` counts the branches of the source that are not in it."""
    sizes = np.bincount(find_islands(grid.bus_count, grid.ends), minlength=1)
    isolated = np.flatnonzero(np.bincount(grid.ends.ravel(), minlength=grid.bus_count) == 0)
    placed = int(np.isfinite(grid.coordinates).all(axis=1).sum())
    return ImportReport(
        format=grid.source,
        buses=grid.bus_count,
        branches=grid.branch_count,
        branch_kinds=_count_kinds(grid),
        islands=len(sizes),
        largest_island=int(sizes.max()),
        isolated_buses=make_listing(grid.bus_ids[bus] for bus in isolated),
        parallel_branches=_list_parallel(grid),
        dropped=dropped,
        coordinates=grid.coordinate_system,
        places=PlacesReport(buses=placed, source="file" if placed else None),
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
