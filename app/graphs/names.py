"""Names of grids: all versions of a grid have one, unique per owner and numbered if taken."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy.orm import Session

from app.errors import NameTaken
from app.graphs import repository
from app.grid.grid import Grid
from app.grid.text_rules import MOST_CHARACTERS, clean_grid_name
from app.grid.versions import Predecessor
from app.ingest.build.topology import name_unnamed
from app.storage.graph_names import find_named, list_numbered
from app.storage.tables import GraphRow

_MOST_NAMESAKES = 20
_UNUSABLE = "grid"


def find_namesakes(session: Session, grid: Grid) -> Iterator[GraphRow]:
    """Yield the newest versions of stored grids that a new grid may be an edited copy of.

    These are the grid of the same name and those that are numbered because of it. A topology
    without a name of its own has none.
    """
    name = clean_grid_name(grid.name)
    if name == name_unnamed(grid.bus_count):
        return
    for numbered in _list_namesakes(session, name)[:_MOST_NAMESAKES]:
        row = find_named(session, numbered)
        if row is not None:
            yield row


def place_row(session: Session, row: GraphRow, before: Predecessor | None) -> None:
    """Give a new row its name, family and version; the report explains a name not asked for."""
    wanted = clean_grid_name(row.name) or _UNUSABLE
    newest = None if before is None else repository.lock_family(session, before.family)
    if before is None or newest is None:
        row.name = _choose_name(session, wanted)
        note = f"Another grid has the name {wanted!r}; this one is named {row.name!r}."
    else:
        row.name, row.family, row.version_of = newest.name, before.family, before.graph_id
        row.version = newest.version + 1
        note = f"A version has the name of its grid, {row.name!r}, instead of {wanted!r}."
    if row.name != wanted:
        row.report = row.report | {"notes": [*_list_notes(row), note]}


def make_newest(session: Session, row: GraphRow) -> None:
    """Make an earlier version the newest again."""
    newest = repository.lock_family(session, row.family)
    if newest is not None and newest.version > row.version:
        row.version, row.version_of = newest.version + 1, newest.id
        session.flush()


def _list_notes(row: GraphRow) -> list[str]:
    notes: Any = row.report.get("notes", [])
    return list(notes)


def _choose_name(session: Session, wanted: str) -> str:
    taken = list_numbered(session, wanted)
    if wanted not in taken:
        return wanted
    number = 2
    while (numbered := _number(wanted, number)) in taken or find_named(session, numbered):
        number += 1
    return numbered


def rename_grid(session: Session, row: GraphRow, name: str) -> None:
    """Rename a grid with all its versions. Raises: NameTaken."""
    if row.name == name:
        return
    other = find_named(session, name)
    is_free = other is None or other.family == row.family
    if not is_free or not repository.rename_family(session, row.family, name):
        raise NameTaken(f"Another grid has the name {name!r}; choose another or rename that one.")
    session.refresh(row)


def _list_namesakes(session: Session, name: str) -> list[str]:
    pattern = re.compile(rf"{re.escape(name)}(?: \((\d+)\))?")
    matches = filter(None, map(pattern.fullmatch, list_numbered(session, name)))
    return [match[0] for match in sorted(matches, key=lambda match: int(match[1] or 1))]


def _number(name: str, number: int) -> str:
    ending = f" ({number})"
    return name[: MOST_CHARACTERS - len(ending)].rstrip() + ending
