"""Finds the towns that substations are named after, and tells namesakes apart by the grid.

Used by ``levygrid places`` for synthetic US grids whose substations have names of towns
("PEORIA 8") and no coordinates. A town is known from grids with coordinates.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from app.grid.grid import find_islands
from ml.arrays import BoolArray, FloatArray, IntArray

_TOWN_KM = 40.0
"""Substations of one name within this distance belong to one town, others to a namesake."""
_FARTHEST_KM = 150.0
"""From the middle of the surrounding substations; a namesake further away is no match."""
_SURROUNDING = 12
"""Substations, at least, that a middle is taken of: two wrong ones together do not move it."""
_ROUNDS = 50
_KM_PER_DEGREE = 111.2
_ABBREVIATED = {"MT": "MOUNT", "ST": "SAINT", "FT": "FORT"}

Towns = Mapping[str, FloatArray]
"""Longitude and latitude of every town of a name, shape (T, 2) each."""


class TownPlaces(NamedTuple):
    """Places of the substations of a grid.

    Shapes: coordinates (S, 2) longitude and latitude, nan if unknown; named (S,) whether the
        place is that of the town of this name; otherwise it is the middle of the neighbours.
    """

    coordinates: FloatArray
    named: BoolArray


def find_town(substation: str) -> str:
    """Return the town in the name of a substation, in one spelling: "MT. ZION 2" is MOUNTZION."""
    words = re.sub(r"[^A-Z ]", "", substation.upper()).split()
    return "".join(_ABBREVIATED.get(word, word) for word in words)


def list_towns(substations: Iterable[tuple[str, Sequence[float]]]) -> Towns:
    """Return the towns of named substations with longitude and latitude."""
    places: defaultdict[str, list[Sequence[float]]] = defaultdict(list)
    for name, place in substations:
        places[find_town(name)].append(place)
    return {town: _separate(np.array(found)) for town, found in places.items() if town}


def place_substations(names: Sequence[str], links: IntArray, towns: Towns) -> TownPlaces:
    """Give every substation the town of its name that is nearest to its surroundings.

    Towns without a namesake are placed first; then, until nothing changes, every substation
    takes the town that is nearest to the median of the 12 or more substations around it in the
    grid, and none if this town is further than 150 km from there and from the median of its
    neighbours. A substation without a town gets the median of its neighbours.
    Shapes: links (L, 2) positions of substations that branches join.
    """
    towns_of = [towns.get(find_town(name), np.zeros((0, 2))) for name in names]
    candidates = _pad_candidates(towns_of)
    neighbours = _list_neighbours(len(names), links)
    around = _pad_positions([_surround(start, neighbours) for start in range(len(names))])
    only = np.array([len(found) == 1 for found in towns_of])
    places = np.where(only[:, np.newaxis], candidates[:, 0], np.nan)
    for _ in range(_ROUNDS):
        before, places = places, _choose(candidates, _find_middles(places, around))
        if np.array_equal(before, places, equal_nan=True):
            break
    direct = _pad_positions(neighbours)
    remote = _choose(candidates, _find_middles(places, direct))  # at the end of a long line
    places = np.where(np.isnan(places), remote, places)
    named: BoolArray = np.asarray(np.isfinite(places).all(axis=1))
    return TownPlaces(_fill(places, direct), named)


def _separate(places: FloatArray) -> FloatArray:
    """Return the middle of each group of places that are near each other."""
    if len(places) == 1:
        return places
    scaled = _to_kilometres(places, places[:, 1].mean())
    groups = find_islands(len(places), cKDTree(scaled).query_pairs(_TOWN_KM, output_type="ndarray"))
    return np.array([np.median(places[groups == group], axis=0) for group in np.unique(groups)])


def _choose(candidates: FloatArray, middles: FloatArray) -> FloatArray:
    """Return the nearest candidate of each row, nan if there is none nearby."""
    away = _to_kilometres(candidates - middles[:, np.newaxis], middles[:, np.newaxis, 1])
    distances = np.nan_to_num(np.hypot(away[..., 0], away[..., 1]), nan=np.inf)
    nearest = distances.argmin(axis=1)
    rows = np.arange(len(candidates))
    near = distances[rows, nearest] <= _FARTHEST_KM
    return np.where(near[:, np.newaxis], candidates[rows, nearest], np.nan)


def _find_middles(places: FloatArray, around: IntArray) -> FloatArray:
    """Return the median of the places around each substation; nan if none has a place."""
    known = np.ma.masked_invalid(np.append(places, [[np.nan, np.nan]], axis=0)[around])
    middles = np.ma.median(known, axis=1)  # type: ignore[no-untyped-call]
    return np.asarray(middles.filled(np.nan))


def _fill(places: FloatArray, around: IntArray) -> FloatArray:
    filled = places
    for _ in range(_ROUNDS):
        missing = np.isnan(filled).any(axis=1, keepdims=True)
        if not missing.any():
            break
        filled = np.where(missing, _find_middles(filled, around), filled)
    return filled


def _surround(start: int, neighbours: Sequence[IntArray]) -> IntArray:
    """Return the substations around one: ring by ring, until there are enough."""
    seen, ring = {start}, {start}
    while ring and len(seen) <= _SURROUNDING:
        ring = {one for member in ring for one in neighbours[member].tolist()} - seen
        seen |= ring
    return np.array(sorted(seen - {start}), dtype=np.int64)


def _list_neighbours(count: int, links: IntArray) -> list[IntArray]:
    both = np.concatenate([links, links[:, ::-1]])
    both = np.unique(both[both[:, 0] != both[:, 1]], axis=0)
    starts = np.searchsorted(both[:, 0], np.arange(count + 1))
    return [both[low:high, 1] for low, high in pairwise(starts.tolist())]


def _pad_candidates(towns: Sequence[FloatArray]) -> FloatArray:
    """Stack towns to (S, C, 2), filled up with nan."""
    padded = np.full((len(towns), max(1, *map(len, towns)), 2), np.nan)
    for row, found in enumerate(towns):
        padded[row, : len(found)] = found
    return padded


def _pad_positions(groups: Sequence[IntArray]) -> IntArray:
    """Stack positions to (S, M), filled up with -1: the row behind the last place."""
    padded = np.full((len(groups), max(1, *map(len, groups))), -1)
    for row, group in enumerate(groups):
        padded[row, : len(group)] = group
    return padded


def _to_kilometres(degrees: FloatArray, latitude: FloatArray | float) -> FloatArray:
    shrink = np.cos(np.radians(latitude))
    return _KM_PER_DEGREE * np.stack([degrees[..., 0] * shrink, degrees[..., 1]], axis=-1)
