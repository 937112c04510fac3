"""Rivals that were written here from their papers, compared with their published accuracy."""

from pathlib import Path

from experiments.methods import METHOD_ROWS
from experiments.protocol import PEEKING
from experiments.report.comparison import AccuracySummary, summarise
from experiments.runs import Cell, read_runs
from experiments.tables.table import CellJob, PaperFigures

WRITTEN_HERE = ("gmnn", "lgcn", "spagan", "vpn")
"""MotifNet was written here too; no accuracy of it on these graphs was published."""
_PEEKED = ("lgcn",)
_DATASETS = ("cora", "citeseer")
_SEEDS = 10


def list_peeking_jobs() -> list[CellJob]:
    """Return the runs that choose their epoch on test nodes."""
    return [
        CellJob(Cell("rivals", dataset, PEEKING, method), METHOD_ROWS[method], _SEEDS)
        for dataset in _DATASETS
        for method in _PEEKED
    ]


def list_checks(paper: PaperFigures, results: Path) -> list[str]:
    """Return the lines of the page: each rival on each graph with a published accuracy."""
    lines = [
        "### Rivals written here and their published accuracy",
        "",
        (
            "*Agrees*: the means differ by no more than the larger standard deviation. *Peeking*: "
            "the epoch is chosen on test nodes ([why](#notes-on-rivals-written-here))."
        ),
        "",
        "| method | data set | published | here | difference | agrees | peeking |",
        "|---|---|---|---|---|---|---|",
    ]
    for method in WRITTEN_HERE:
        for (dataset, row), (mean, deviation) in paper.items():
            if row == method:
                published = AccuracySummary(mean, deviation or 0.0, 0)
                lines.append(_check(dataset, method, published, results))
    return [*lines, ""]


def _check(dataset: str, method: str, published: AccuracySummary, results: Path) -> str:
    start = f"| {METHOD_ROWS[method].title} | {dataset} | {published} "
    runs = read_runs(Cell("undirected", dataset, "published", method), results)
    if not runs:
        return f"{start}| not run | | | |"
    here = summarise(runs)
    gap = here.mean - published.mean
    agrees = abs(gap) <= max(here.deviation, published.deviation)
    peeks = read_runs(Cell("rivals", dataset, PEEKING, method), results)
    peeking = summarise(peeks) if peeks else ""
    return f"{start}| {here} | {gap:+.2f} | {'yes' if agrees else 'no'} | {peeking} |"
