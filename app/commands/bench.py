"""``levygrid bench NAME``: run one measurement, show it, keep it as JSON."""

import json
import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from app.errors import LevygridError

_PACKAGES = ("app.bench", "experiments.bench")
"""Imported by name: the service must run without the experiments."""


def run_bench(name: str, json_path: Path | None) -> None:
    """Measure, print a table and write the figures.

    Raises: LevygridError if there is no such bench or no folder to write to.
    """
    known = list_benches()
    if name == "list":
        Console().print("\n".join(known), highlight=False)
        return
    if name not in known:
        raise LevygridError(f"There is no bench {name!r}; there are {', '.join(known)}.")
    if json_path is not None and not json_path.absolute().parent.is_dir():
        raise LevygridError(f"There is no folder {json_path.absolute().parent} to write to.")
    figures: dict[str, Any] = import_module(known[name]).run()
    _print(name, figures)
    if json_path is not None:
        json_path.write_text(json.dumps(figures, indent=2) + "\n")


def list_benches() -> dict[str, str]:
    """Return every bench with its module; nothing else can be run.

    ``queue_`` is the bench ``queue``: no module of ours is called like one of Python's own.
    """
    return {
        module.name.rstrip("_").replace("_", "-"): f"{package.__name__}.{module.name}"
        for package in map(import_module, _PACKAGES)
        for module in pkgutil.iter_modules(package.__path__)
        if not module.name.startswith("_")
    }


def _print(name: str, figures: Mapping[str, Any]) -> None:
    console = Console()
    console.print(_make_table(f"bench {name}", figures["rows"]))
    for key, value in figures.items():
        if key != "rows":
            console.print(f"{key}: {json.dumps(value)}", highlight=False)


def _make_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title=title)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*(_shown(row.get(column)) for column in columns))
    return table


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
