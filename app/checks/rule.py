"""The shape of a rule, and of what it finds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from app.checks.checked_grid import CheckedGrid
from ml.arrays import BoolArray, FloatArray, IntArray

Severity = Literal["error", "warning", "note"]
"""``error``: calculations with this grid are wrong; ``warning``: probably a mistake; ``note``:
worth knowing, often intended."""

Cells: TypeAlias = FloatArray | IntArray | Sequence[str]


@dataclass(frozen=True, eq=False)
class Hits:
    """What a rule found, worst first: one entry per finding in every column.

    Entries of ``buses`` and ``branches`` are positions of the elements of a finding; a column
    without entries stands for no elements.
    """

    count: int = 0
    buses: Sequence[IntArray] | IntArray = ()
    branches: Sequence[IntArray] | IntArray = ()
    numbers: Mapping[str, Cells] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rule:
    """One check of a grid model.

    ``sentence`` describes one finding: ``{element}`` and the numbers of the finding by name.
    ``needs`` are columns or facts without which the rule cannot run.
    """

    name: str
    severity: Severity
    title: str
    why: str
    fix: str
    sentence: str
    find: Callable[[CheckedGrid], Hits]
    needs: tuple[str, ...] = ()


def at_branches(where: BoolArray, worst_by: FloatArray, **numbers: Cells) -> Hits:
    """Return one finding per chosen branch, the largest of ``worst_by`` first.

    Shapes: where, worst_by and every number (E,).
    """
    rows = _sort(where, worst_by)
    return Hits(len(rows), branches=rows[:, np.newaxis], numbers=_take(numbers, rows))


def at_buses(where: BoolArray, worst_by: FloatArray, **numbers: Cells) -> Hits:
    """Return one finding per chosen bus, the largest of ``worst_by`` first.

    Shapes: where, worst_by and every number (N,).
    """
    rows = _sort(where, worst_by)
    return Hits(len(rows), buses=rows[:, np.newaxis], numbers=_take(numbers, rows))


def _sort(where: BoolArray, worst_by: FloatArray) -> IntArray:
    rows = np.flatnonzero(where)
    return rows[np.argsort(-worst_by[rows], kind="stable")]


def _take(numbers: Mapping[str, Cells], rows: IntArray) -> dict[str, Cells]:
    return {name: np.asarray(values)[rows] for name, values in numbers.items()}


def split_groups(groups: IntArray, chosen: Sequence[int]) -> list[IntArray]:
    """Return the positions of the members of the chosen groups.

    Cost: one sort, whatever the number of groups. Shapes: groups (N,) from 0 on.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    return [order[starts[group] : starts[group + 1]] for group in chosen]
