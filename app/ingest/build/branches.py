"""Branches of a topology as columns; every fault goes on the caller's list."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.body import BranchIn
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

MOST_KINDS = 64
_MOST_DIGITS = 16
"""Digits of an id that may be a number in JSON, up to 2^53."""
_DEFAULT_KIND = "line"


class Branches(NamedTuple):
    """Branch columns without self-loops, and the buses of the self-loops."""

    ends: IntArray
    weights: FloatArray
    kinds: IntArray
    kind_names: tuple[str, ...]
    looped_buses: IntArray


def read_branches(
    branches: Sequence[BranchIn], bus_ids: Sequence[str], faults: list[Fault]
) -> Branches:
    """Return the branches as columns; self-loops are left out and listed.

    Shapes: ends (E, 2) positions in ``bus_ids``.
    """
    ends = _read_ends(branches, bus_ids, faults)
    weights = _read_weights(branches, faults)
    kinds, kind_names = _read_kinds(branches, faults)
    loops: BoolArray = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
    return Branches(ends[~loops], weights[~loops], kinds[~loops], kind_names, ends[loops, 0])


def _read_ends(
    branches: Sequence[BranchIn], bus_ids: Sequence[str], faults: list[Fault]
) -> IntArray:
    positions = _index(bus_ids)
    count = len(branches)
    ends = np.empty((count, 2), dtype=np.int64)
    # -1: no such bus. An end of None is already a fault, so its position does not matter.
    ends[:, 0] = np.fromiter((positions.get(one.source, -1) for one in branches), np.int64, count)
    ends[:, 1] = np.fromiter((positions.get(one.target, -1) for one in branches), np.int64, count)
    for branch, end in np.argwhere(ends < 0):
        name, wanted = ("from", branches[branch].source), ("to", branches[branch].target)
        field, value = (name, wanted)[end]
        if value is not None:
            problem = f"there is no bus {shorten(str(value))}"
            faults.append(Fault(f"branches[{branch}].{field}", problem))
    return ends


def _index(bus_ids: Sequence[str]) -> dict[str | int | None, int]:
    positions: dict[str | int | None, int] = {}
    for position, text in enumerate(bus_ids):
        positions.setdefault(text, position)
        number = _find_integer(text)
        if number is not None:
            positions.setdefault(number, position)
    return positions


def _find_integer(text: str) -> int | None:
    """Return the number that JSON may have instead of a text: ``7`` for "7", None for "007"."""
    digits = text.removeprefix("-")
    if len(digits) > _MOST_DIGITS or not (digits.isascii() and digits.isdigit()):
        return None
    return int(text) if str(int(text)) == text else None


def _read_weights(branches: Sequence[BranchIn], faults: list[Fault]) -> FloatArray:
    given = (1.0 if one.weight is UNSET or one.weight is None else one.weight for one in branches)
    weights = np.fromiter(given, np.float64, len(branches))
    for branch in np.flatnonzero(~(weights > 0)):
        problem = f"{weights[branch]:g} is not positive"
        faults.append(Fault(f"branches[{branch}].weight", problem))
    return weights


def _read_kinds(
    branches: Sequence[BranchIn], faults: list[Fault]
) -> tuple[IntArray, tuple[str, ...]]:
    texts = [one.kind or _DEFAULT_KIND for one in branches]
    names = sorted(set(texts))
    if len(names) > MOST_KINDS:
        faults.append(Fault("branches", f"{len(names)} kinds exceed the limit of {MOST_KINDS}"))
    wrong = {name: find_text_problem(name, most=40) for name in names}
    for branch, text in enumerate(texts) if any(wrong.values()) else ():
        problem = wrong[text]
        if problem is not None:
            faults.append(Fault(f"branches[{branch}].kind", problem))
    code_of = {name: code for code, name in enumerate(names)}
    return np.array([code_of[text] for text in texts], dtype=np.int64), tuple(names)
