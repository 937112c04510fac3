"""Rules on places: transformers between substations, substations spread over kilometres."""

import numpy as np

from app.checks.checked_grid import (
    BRANCH_KINDS,
    GEOGRAPHIC,
    SUBSTATIONS,
    CheckedGrid,
    measure_km,
)
from app.checks.rule import Hits, Rule, at_branches, split_groups
from ml.arrays import FloatArray, IntArray

_LARGEST_SITE_KM = 3.0
"""The largest switchyards are about this long."""


def _find_across_substations(checked: CheckedGrid) -> Hits:
    substations = checked.grid.substations
    if substations is None:
        return Hits()
    ends = substations.groups[checked.grid.ends]
    where = checked.transformers & (ends[:, 0] != ends[:, 1])
    length = checked.length_km
    return at_branches(where, np.nan_to_num(length), km=length)


def _find_long_transformers(checked: CheckedGrid) -> Hits:
    length = checked.length_km
    where = checked.transformers & (length > _LARGEST_SITE_KM)
    substations = checked.grid.substations
    if substations is not None and substations.is_given:
        # Others are found by the rule transformer-across-substations.
        ends = substations.groups[checked.grid.ends]
        where = where & (ends[:, 0] == ends[:, 1])
    return at_branches(where, np.nan_to_num(length), km=length)


def _find_spread(checked: CheckedGrid) -> Hits:
    substations = checked.grid.substations
    if substations is None:
        return Hits()
    extent = _measure_extent(checked.grid.coordinates, substations.groups)
    order = np.argsort(-extent, kind="stable")
    chosen = order[: np.count_nonzero(extent > _LARGEST_SITE_KM)].tolist()
    titles = substations.names or ("",) * substations.count
    return Hits(
        len(chosen),
        buses=split_groups(substations.groups, chosen),
        numbers={
            "substation": [titles[group] or str(group + 1) for group in chosen],
            "km": extent[chosen],
        },
    )


def _measure_extent(places: FloatArray, groups: IntArray) -> FloatArray:
    """Return the diagonal of the box around the buses of each group in km, one per group."""
    placed = np.isfinite(places).all(axis=1)
    count = int(groups.max(initial=-1)) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, groups[placed], places[placed])
    np.maximum.at(high, groups[placed], places[placed])
    known = np.isfinite(low).all(axis=1)
    extent = np.zeros(count)
    extent[known] = measure_km(low[known], high[known])
    return extent


RULES = (
    Rule(
        name="transformer-across-substations",
        severity="warning",
        title="Transformer between two substations",
        why="A transformer is one device inside one substation. Between two, the substation of an "
        "end is wrong, or the branch is a line.",
        fix="Correct the substation of one end, or the kind of the branch.",
        sentence="{element} joins two substations",
        find=_find_across_substations,
        needs=(SUBSTATIONS, BRANCH_KINDS),
    ),
    Rule(
        name="transformer-over-kilometres",
        severity="warning",
        title="Transformer with ends kilometres apart",
        why=f"No transformer is longer than {_LARGEST_SITE_KM:g} km: a place or the kind of the "
        "branch is wrong.",
        fix="Correct the coordinates of one end, or the kind of the branch.",
        sentence="the ends of {element} are {km:.1f} km apart",
        find=_find_long_transformers,
        needs=(GEOGRAPHIC, BRANCH_KINDS),
    ),
    Rule(
        name="substation-spread",
        severity="warning",
        title="Substation spread over kilometres",
        why=f"Buses of one substation lie within {_LARGEST_SITE_KM:g} km. A larger one mixes "
        "several sites, or a place is wrong; held-out substations then leak their neighbours.",
        fix="Split the substation, or correct the coordinates of the buses far away.",
        sentence="substation {substation} extends over {km:.1f} km",
        find=_find_spread,
        needs=(SUBSTATIONS, GEOGRAPHIC),
    ),
)
