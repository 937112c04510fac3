"""docs/reproduction.md, written from the stored cells and from nothing else."""

from pathlib import Path
from typing import Any

from experiments.datasets.dataset import load_dataset
from experiments.methods import CONTENDERS
from experiments.report.aims import list_aims
from experiments.report.comparison import compare, summarise
from experiments.report.rules import RULES
from experiments.runs import Cell, read_cell
from experiments.tables.table import TABLE_NAMES, Column, Table, get_table
from experiments.tuning import search_sizes
from ml.errors import DatasetUnavailable

DOCUMENT = Path("docs/reproduction.md")
Runs = list[dict[str, Any]]

_SETTINGS = {
    "published": "the published split, one initialisation a seed",
    "seeded": "a 10/20/70 split a seed",
}


def write_document(results: Path, path: Path) -> None:
    """Write the document and the figures it shows."""
    lines = ["# Reproduction of the paper's tables", "", *RULES, *list_aims(results)]
    for name in TABLE_NAMES:
        table = get_table(name)
        lines += [f"## {table.title}", ""]
        if table.note:
            lines += [table.note, ""]
        if table.render is not None:
            lines += table.render(results)
        for column in table.columns:
            lines += _column(table, column, results)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _column(table: Table, column: Column, results: Path) -> list[str]:
    title, problem = _title(column.dataset)
    lines = [f"### {title}: {_SETTINGS[column.setting]}", ""]
    methods = table.methods_on(column.dataset)
    found = {method: _runs(table, column, method, results) for method in methods}
    found = {method: runs for method, runs in found.items() if runs}
    if not found:
        return [*lines, f"{problem or 'Not run.'}", ""]
    lines += ["| method | paper | here | seeds | against LFGCN |", "|---|---|---|---|---|"]
    for method in methods:
        lines.append(_row(table, column, method, found))
    budget = ", ".join(str(size) for size in search_sizes(column.dataset, results))
    searched = [f"Configurations compared a searched method: {budget}.", ""] if budget else []
    return [*lines, "", *searched, *_verdict(found), ""]


def _title(dataset: str) -> tuple[str, str]:
    try:
        return load_dataset(dataset).title, ""
    except DatasetUnavailable:
        return dataset, "Not run: the data set is unavailable here."


def _runs(table: Table, column: Column, method: str, results: Path) -> Runs:
    cell = Cell(table.name, column.dataset, column.setting, method)
    runs: Runs = read_cell(cell, results)["runs"]
    return runs


def _row(table: Table, column: Column, method: str, found: dict[str, Runs]) -> str:
    title = CONTENDERS[method].title
    if CONTENDERS[method].kind == "reference":
        title = f"*{title}*"
    figure = table.paper.get((column.dataset, method))
    paper = "" if figure is None else _figure(*figure)
    if method not in found:
        return f"| {title} | {paper} | not run | | |"
    summary = summarise(found[method])
    gap = None if method == "lfgcn" else compare(found[method], found.get("lfgcn", []))
    return f"| {title} | {paper} | {summary} | {summary.seeds} | {gap or ''} |"


def _figure(mean: float, deviation: float | None) -> str:
    return f"{mean:.2f}" if deviation is None else f"{mean:.2f} ({deviation:.2f})"


def _verdict(found: dict[str, Runs]) -> list[str]:
    means = {method: summarise(runs).mean for method, runs in found.items()}
    ours = [method for method in means if CONTENDERS[method].kind == "ours"]
    rivals = [method for method in means if CONTENDERS[method].kind == "rival"]
    if not ours or not rivals:
        return []
    best, runner_up = (max(group, key=lambda m: means[m]) for group in (ours, rivals))
    gap = compare(found[best], found[runner_up])
    if gap is None:
        return []
    if gap.p_value < 0.05:
        word = "significantly above" if gap.mean > 0 else "significantly below"
    else:
        word = "not significantly different from"
    return [
        (
            f"{CONTENDERS[best].title} is {word} the best learned rival, "
            f"{CONTENDERS[runner_up].title}: {gap} points over {gap.pairs} seeds, "
            f"paired t-test p = {gap.p_value:.3g}."
        )
    ]
