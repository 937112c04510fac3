"""``levygrid bench NAME``: runs one benchmark, prints it, writes it as JSON."""

import json
import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from app.errors import LevygridError

_PACKAGES = ("app.bench", "experiments.bench")
"""Imported by name, because the service must run without the experiments."""


def run_bench(name: str, json_path: Path | None, *, quick: bool = False) -> None:
    """Run a benchmark, or its quick form, print its table and write its measurements.

    Raises: LevygridError if the benchmark, its quick form or the output folder does not exist.
    """
    modules = list_benches()
    if name == "list":
        Console().print("\n".join(modules), highlight=False)
        return
    if name not in modules:
        raise LevygridError(f"There is no benchmark {name!r}. Available: {', '.join(modules)}.")
    if json_path is not None and not json_path.absolute().parent.is_dir():
        raise LevygridError(f"The output folder {json_path.absolute().parent} does not exist.")
    run = import_module(modules[name]).run
    if quick and "quick" not in signature(run).parameters:
        raise LevygridError(f"The benchmark {name!r} has no quick form; leave out --quick.")
    figures: dict[str, Any] = run(quick=True) if quick else run()
    _print(name, figures)
    if json_path is not None:
        json_path.write_text(json.dumps(figures, indent=2) + "\n")


def list_benches() -> dict[str, str]:
    """Return the module of every benchmark; nothing else can be run.

    The module ``queue_`` is the benchmark ``queue``: no module of ours has the name of one of
    the standard library.
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
        table.add_row(*(_format(row.get(column)) for column in columns))
    return table


def _format(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
