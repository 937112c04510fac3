"""Files of a GridKit grid: which table is which, and tags written as ``"key"=>"value"``."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.errors import GridRejected
from app.ingest.formats.guards.text_table import TextTable, read_text_table
from app.ingest.formats.guards.zip_guard import read_tables
from app.ingest.protocol import Request
from app.power.tables import LINE, LINK, TRANSFORMER
from ml.errors import Fault

IDS = ("bus_id", "v_id", "name", "id", "bus")
LONGITUDES, LATITUDES = ("x", "lon", "longitude"), ("y", "lat", "latitude")
_ZIP = b"PK\x03\x04"
_FIRST, _SECOND = ("bus0", "v_id_1"), ("bus1", "v_id_2")
_BUSES = ("buses", "vertices")
_KINDS = {"lines": LINE, "links": LINK, "transformers": TRANSFORMER, "converters": LINK}
_PARTS = (*_BUSES, *_KINDS, "generators")
_DELIMITERS = ",;#\t"
_TAG = re.compile(r'"([^"]{1,100})"=>"([^"]{0,300})"')
_MOST_TAGS = 40


class BranchFile(NamedTuple):
    """A file of branches of one kind, and the names of the columns of both ends."""

    table: TextTable
    kind: int
    columns: tuple[str, str]


class GridkitFiles(NamedTuple):
    """The tables of a grid; ``are_ends`` if no file lists the buses."""

    buses: TextTable
    branches: list[BranchFile]
    generators: TextTable
    are_ends: bool


def read_files(request: Request) -> GridkitFiles:
    """Read the tables of an archive, or of one file of branches. Raises: GridRejected."""
    content = request.files["file"]
    limit = max(request.limits.buses, request.limits.branches)
    if content.startswith(_ZIP):
        named = read_tables(content, lambda name: bool(_find_part(name)))
        files = {_find_part(name): part for name, part in named.items()}
        if len(files) < len(named):
            fault = Fault("zip", "has two files of the same part: send one grid per archive")
            raise GridRejected("The archive was rejected.", [fault])
    else:
        files = {"lines": content}
    if "buses" in request.files:
        files["buses"] = request.files["buses"]
    tables = {name: _read(name, part, limit) for name, part in files.items()}
    given = [(tables[name], kind) for name, kind in _KINDS.items() if name in tables]
    branches = [_make_branches(table, kind) for table, kind in given]
    if not branches:
        fault = Fault("zip", f"has no file of branches: {', '.join(_KINDS)}")
        raise GridRejected("The archive is not a GridKit grid.", [fault])
    listed = next((tables[name] for name in _BUSES if name in tables), None)
    generators = tables.get("generators") or TextTable("generators", {}, 0)
    return GridkitFiles(listed or _list_ends(branches), branches, generators, listed is None)


def find_column(table: TextTable, names: Sequence[str]) -> str:
    """Return the name that a table uses for a column."""
    return next((name for name in names if table.has(name)), names[0])


def read_tags(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return one column per key of the tags; "" for a bus without it, and for ``None``."""
    columns: dict[str, list[str]] = {}
    for row, text in enumerate(texts):
        for key, value in _TAG.findall(text) if text else ():
            if key not in columns and len(columns) < _MOST_TAGS:
                columns[key] = [""] * len(texts)
            if key in columns:
                columns[key][row] = "" if value == "None" else value.strip()
    return columns


def _find_part(name: str) -> str:
    """Return the part that a file name stands for; "" for none: ``de-links-2016.csv`` is links."""
    stem, _, ending = name.rpartition(".")
    words = re.split(r"[-_. ]", stem)
    return next((part for part in _PARTS if ending == "csv" and part in words), "")


def _read(name: str, content: bytes, limit: int) -> TextTable:
    # A field in single quotes may contain double ones, and the other way round.
    quote = "'" if any(mark in content for mark in (b",'", b";'", b"#'", b"\t'")) else '"'
    return read_text_table(name, content, limit, delimiters=_DELIMITERS, quote=quote)


def _make_branches(table: TextTable, kind: int) -> BranchFile:
    columns = find_column(table, _FIRST), find_column(table, _SECOND)
    missing = [name for name in columns if not table.has(name)]
    if missing:
        fault = Fault(f"{table.name} line 1", f"lacks the column(s) {', '.join(missing)}")
        raise GridRejected("The GridKit files cannot be read.", [fault])
    return BranchFile(table, kind, columns)


def _list_ends(branches: Sequence[BranchFile]) -> TextTable:
    ends = [text for part in branches for name in part.columns for text in part.table.keys(name)]
    ids = list(dict.fromkeys(text for text in ends if text))
    return TextTable("buses", {"bus_id": ids}, len(ids))
