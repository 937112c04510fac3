"""Accuracies that the reproduction aimed at, and the accuracies it reached."""

from dataclasses import dataclass
from pathlib import Path

from experiments.methods import METHOD_ROWS, OURS
from experiments.report.comparison import AccuracySummary, summarise
from experiments.runs import Cell, Runs, read_runs
from experiments.tables.table import get_table


@dataclass(frozen=True)
class AccuracyAim:
    """A mean accuracy in percent that LFGCN or LFGCN+ should reach."""

    table: str
    dataset: str
    split_kind: str
    accuracy: float


AIMS = (
    AccuracyAim("directed", "ieee118", "published", 83.2),
    AccuracyAim("directed", "sc500", "published", 98.3),
    AccuracyAim("undirected", "cora", "published", 84.6),
    AccuracyAim("undirected", "citeseer", "published", 73.3),
    AccuracyAim("undirected", "pubmed", "published", 81.8),
    AccuracyAim("tasks", "activsg2000_zone", "seeded", 85.0),
)


def list_aims(results: Path) -> list[str]:
    """Return the table of aims: our best row, the best rival, and whether the aim was reached."""
    lines = [
        "## Aims of this project",
        "",
        "| data set | aim | best of ours | best rival | aim reached | above all rivals |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(aim, results) for aim in AIMS]
    return [*lines, ""]


def _line(aim: AccuracyAim, results: Path) -> str:
    rivals = [
        method for method in get_table(aim.table).methods if METHOD_ROWS[method].kind == "rival"
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


def _read(aim: AccuracyAim, method: str, results: Path) -> Runs:
    return read_runs(Cell(aim.table, aim.dataset, aim.split_kind, method), results)


def _best(
    aim: AccuracyAim, methods: tuple[str, ...], results: Path
) -> tuple[str, AccuracySummary] | None:
    summaries = [
        (METHOD_ROWS[method].title, summarise(runs))
        for method in methods
        if (runs := _read(aim, method, results))
    ]
    return max(summaries, key=lambda pair: pair[1].mean) if summaries else None


def _show(pair: tuple[str, AccuracySummary] | None) -> str:
    return "not run" if pair is None else f"{pair[0]} {pair[1]}"
