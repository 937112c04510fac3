"""Rules on ratings: missing, and outside what any branch of its voltage can carry."""

import numpy as np

from app.checks.checked_grid import BRANCH_KINDS, CheckedGrid
from app.checks.rule import Hits, Rule, at_branches
from ml.arrays import BoolArray, FloatArray

_MOST_KILOAMPERES = 100.0
"""The largest generators feed about 45 kA into their transformer."""
_LEAST_AMPERES = 1.0
_UNLIMITED_MVA = 9000.0
"""From here on a rating stands for "no limit": 9900, 9999, 99999 and so on."""


def _find_missing(checked: CheckedGrid) -> Hits:
    rating = checked.branch("rating")
    unlimited = (rating == 0) | _stands_for_none(rating)
    missing = np.flatnonzero((checked.lines | checked.is_kind("transformer")) & unlimited)
    if not len(missing):
        return Hits()
    count, total = np.array([len(missing)]), np.array([checked.grid.branch_count])
    return Hits(1, branches=[missing], numbers={"missing": count, "branches": total})


def _find_absurd(checked: CheckedGrid) -> Hits:
    rating = checked.branch("rating")
    given = (rating != 0) & ~_stands_for_none(rating) & (checked.end_kv > 0).all(axis=1)
    given = given & (checked.lines | checked.is_kind("transformer"))
    most_amperes = _to_amperes(rating, checked.end_kv.min(axis=1, initial=np.inf), given)
    least_amperes = _to_amperes(rating, checked.end_kv.max(axis=1, initial=0.0), given)
    too_low = given & (most_amperes < _LEAST_AMPERES)
    too_high = given & (least_amperes > 1000 * _MOST_KILOAMPERES)
    amperes = np.where(too_low, most_amperes, least_amperes)
    distance = np.where(too_high, amperes, 1 / np.maximum(amperes, 1e-9))
    return at_branches(too_low | too_high, distance, rating=rating, amperes=amperes)


def _to_amperes(rating: FloatArray, kv: FloatArray, given: BoolArray) -> FloatArray:
    amperes: FloatArray = np.divide(
        1000 * rating, np.sqrt(3) * kv, out=np.full(len(kv), np.nan), where=given
    )
    return amperes


def _stands_for_none(rating: FloatArray) -> BoolArray:
    """Return whether ratings are far too high and one number stands for "no limit", (E,)."""
    values, place, counts = np.unique(rating, return_inverse=True, return_counts=True)
    shared = (counts > 1) | np.isin(values, (9900.0, 9999.0, 99999.0))
    stands: BoolArray = ((values >= _UNLIMITED_MVA) & shared)[place]
    return stands


RULES = (
    Rule(
        name="rating-missing",
        severity="note",
        title="Branches without a rating",
        why="Loading cannot be computed for them, and a weight by rating leaves them out. Ratings "
        "such as 9999 MVA on several branches count as missing.",
        fix="Fill in the thermal limits in MVA if they are known.",
        sentence="{missing:.0f} of {branches:.0f} branches have no rating",
        find=_find_missing,
        needs=("rating", BRANCH_KINDS),
    ),
    Rule(
        name="rating-implausible",
        severity="warning",
        title="Rating that no branch of its voltage has",
        why=f"It stands for less than {_LEAST_AMPERES:g} A or more than {_MOST_KILOAMPERES:g} kA "
        "at the base voltage, or is negative: the unit is wrong (kVA, A, kA).",
        fix="Give the rating in MVA.",
        sentence="{element} has a rating of {rating:g} MVA, which is {amperes:.3g} A",
        find=_find_absurd,
        needs=("rating", "base_kv", BRANCH_KINDS),
    ),
)
