"""Rules on areas, zones and countries: pieces, and buses unlike all their neighbours."""

from collections.abc import Iterable

import numpy as np

from app.checks.checked_grid import REGIONS, CheckedGrid
from app.checks.rule import Hits, Rule, split_groups
from app.grid.grid import UNKNOWN_CLASS, LabelSet, find_islands
from ml.arrays import BoolArray, IntArray

_LEAST_NEIGHBOURS = 2


def _find_pieces(checked: CheckedGrid) -> Hits:
    return _join(_find_pieces_of(checked, one) for one in checked.region_sets)


def _find_pieces_of(checked: CheckedGrid, regions: LabelSet) -> Hits:
    classes = regions.classes
    ends = classes[checked.grid.ends]
    inside = checked.grid.ends[ends[:, 0] == ends[:, 1]]
    pieces = find_islands(checked.grid.bus_count, inside)
    known = classes != UNKNOWN_CLASS
    sizes = np.bincount(pieces)
    region_of = np.full(len(sizes), UNKNOWN_CLASS)
    region_of[pieces[known]] = classes[known]
    # Pieces that lie in different islands of the grid cannot be one.
    island_of = np.zeros(len(sizes), dtype=np.int64)
    island_of[pieces] = checked.islands
    whole = region_of * (int(checked.islands.max(initial=0)) + 1) + island_of
    order = np.argsort(-sizes, kind="stable")
    _, first, place = np.unique(whole[order], return_index=True, return_inverse=True)
    largest = np.empty(len(sizes), dtype=np.int64)
    largest[order] = sizes[order[first]][place]
    detached = region_of != UNKNOWN_CLASS
    detached[order[first]] = False
    # A bus of unknown region may join the pieces beside it.
    detached[pieces[checked.grid.ends[(ends == UNKNOWN_CLASS).any(axis=1)].ravel()]] = False
    chosen = order[detached[order]]
    return Hits(
        len(chosen),
        buses=split_groups(pieces, chosen.tolist()),
        numbers={
            "region": [regions.class_names[code] for code in region_of[chosen]],
            "kind": [regions.name] * len(chosen),
            "buses": sizes[chosen],
            "largest": largest[chosen],
        },
    )


def _find_strangers(checked: CheckedGrid) -> Hits:
    return _join(_find_strangers_of(checked, one) for one in checked.region_sets)


def _find_strangers_of(checked: CheckedGrid, regions: LabelSet) -> Hits:
    rows = np.flatnonzero(_find_surrounded(checked, regions.classes)).astype(np.int64)
    around = _find_neighbour_class(checked, regions.classes)
    names = regions.class_names
    return Hits(
        len(rows),
        buses=rows[:, np.newaxis],
        numbers={
            "kind": [regions.name] * len(rows),
            "region": [names[regions.classes[bus]] for bus in rows],
            "neighbours": [names[around[bus]] for bus in rows],
        },
    )


def _find_surrounded(checked: CheckedGrid, classes: IntArray) -> BoolArray:
    """Return buses of a region whose neighbours, two or more, are all of one other, (N,)."""
    count = checked.grid.bus_count
    low_end, high_end = np.sort(checked.grid.ends, axis=1).T
    first, second = np.divmod(np.unique(low_end * count + high_end), count)
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    neighbours = np.bincount(one, minlength=count)
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -2)
    np.minimum.at(low, one, classes[other])
    np.maximum.at(high, one, classes[other])
    alike = (neighbours >= _LEAST_NEIGHBOURS) & (low == high) & (low != UNKNOWN_CLASS)
    surrounded: BoolArray = alike & (classes != UNKNOWN_CLASS) & (classes != low)
    return surrounded


def _find_neighbour_class(checked: CheckedGrid, classes: IntArray) -> IntArray:
    around = np.full(checked.grid.bus_count, UNKNOWN_CLASS)
    source, target = checked.grid.ends.T
    around[source], around[target] = classes[target], classes[source]
    return around


def _join(parts: Iterable[Hits]) -> Hits:
    every = list(parts)
    names = every[0].numbers if every else {}
    return Hits(
        sum(one.count for one in every),
        buses=[buses for one in every for buses in one.buses],
        numbers={name: [cell for one in every for cell in one.numbers[name]] for name in names},
    )


RULES = (
    Rule(
        name="region-in-pieces",
        severity="note",
        title="Area, zone or country that falls into pieces",
        why="Regions are usually connected. A small piece far from the rest is often a wrong "
        "label; pieces that other islands explain are not listed.",
        fix="Check the label of the buses of the smaller piece.",
        sentence="{kind} {region}: a piece of {buses:.0f} lies apart from "
        "the largest of {largest:.0f}",
        find=_find_pieces,
        needs=(REGIONS,),
    ),
    Rule(
        name="region-unlike-neighbours",
        severity="note",
        title="Bus whose region differs from all its neighbours",
        why="All neighbours, two or more, belong to one other region: the label of the bus is "
        "wrong, or its region was drawn on a map and not by connections.",
        fix="Give the bus the region of its neighbours, or confirm it.",
        sentence="{element} is of {kind} {region}, all its neighbours of {neighbours}",
        find=_find_strangers,
        needs=(REGIONS,),
    ),
)
