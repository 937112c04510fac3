"""The aims of the reproduction and what was reached, from the stored cells."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.methods import CONTENDERS, OURS
from experiments.report.comparison import Summary, summarise
from experiments.runs import Cell, read_cell
from experiments.tables.table import get_table


@dataclass(frozen=True)
class Aim:
    """A mean accuracy in percent that LFGCN or LFGCN+ should reach."""

    table: str
    dataset: str
    setting: str
    accuracy: float


AIMS = (
    Aim("directed", "ieee118", "published", 83.2),
    Aim("directed", "sc500", "published", 98.3),
    Aim("undirected", "cora", "published", 84.6),
    Aim("undirected", "citeseer", "published", 73.3),
    Aim("undirected", "pubmed", "published", 81.8),
    Aim("tasks", "activsg2000_zone", "seeded", 85.0),
)


def list_aims(results: Path) -> list[str]:
    """Return the table of aims: the best of ours, the best learned rival, reached or not."""
    lines = [
        "## Aims and what was reached",
        "",
        "| data set | aim | best of ours | best learned rival | aim reached | above all rivals |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(aim, results) for aim in AIMS]
    return [*lines, ""]


def _line(aim: Aim, results: Path) -> str:
    rivals = [
        method for method in get_table(aim.table).methods if CONTENDERS[method].kind == "rival"
    ]
    ours, rival = _best(aim, OURS, results), _best(aim, tuple(rivals), results)
    start = f"| {aim.dataset} | {aim.accuracy:.1f} "
    if ours is None:
        return f"{start}| not run | {_show(rival)} | not run | not run |"
    reached = "yes" if ours[1].mean >= aim.accuracy else "no"
    above = "not run" if rival is None else "yes" if ours[1].mean > rival[1].mean else "no"
    missing = sum(not _read(aim, method, results) for method in rivals)
    if above == "yes" and missing:
        above = f"yes, but {missing} of {len(rivals)} were not run"
    if above == "yes" and rival is not None and ours[1].seeds != rival[1].seeds:
        above = f"yes, but over {ours[1].seeds} seeds against {rival[1].seeds}"
    return f"{start}| {_show(ours)} | {_show(rival)} | {reached} | {above} |"


def _read(aim: Aim, method: str, results: Path) -> list[dict[str, Any]]:
    cell = Cell(aim.table, aim.dataset, aim.setting, method)
    runs: list[dict[str, Any]] = read_cell(cell, results)["runs"]
    return runs


def _best(aim: Aim, methods: tuple[str, ...], results: Path) -> tuple[str, Summary] | None:
    found = [
        (CONTENDERS[method].title, summarise(runs))
        for method in methods
        if (runs := _read(aim, method, results))
    ]
    return max(found, key=lambda pair: pair[1].mean) if found else None


def _show(pair: tuple[str, Summary] | None) -> str:
    return "not run" if pair is None else f"{pair[0]} {pair[1]}"
