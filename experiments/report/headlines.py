"""Comparisons of our best row with the best rival, one per data set and kind of split."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.datasets.titles import title_of
from experiments.methods import METHOD_ROWS
from experiments.report.comparison import PairedDifference, compare, summarise
from experiments.runs import Cell, Runs, read_runs
from experiments.tables.table import DatasetColumn, ResultTable, get_table
from experiments.tuned import is_tuned, read_tuned

MAIN_TABLES = ("directed", "tasks", "undirected")
PAPER_ROWS = ("lfgcn_whole", "lfgcn")
"""The paper's own network, without the additions of LFGCN+."""
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Headline:
    """The best of our rows and the best rival on one data set, both by their mean accuracy."""

    column: DatasetColumn
    ours: str
    rival: str
    runs: dict[str, Runs]
    difference: PairedDifference

    @property
    def verdict(self) -> str:
        """Return whether our row is significantly above or below, or neither."""
        if self.difference.p_value >= SIGNIFICANT:
            return "no difference"
        return "above" if self.difference.mean > 0 else "below"

    @property
    def title(self) -> str:
        """Return the data set and, if seeds draw the split, the word seeded."""
        title = title_of(self.column.dataset)
        return title if self.column.split_kind == "published" else f"{title}, seeded splits"


def list_headlines(results: Path, ours: tuple[str, ...] | None = None) -> list[Headline]:
    """Return the headlines of the three main tables; ``ours`` limits our rows to some methods."""
    return list(_headlines(results, ours))


def _headlines(results: Path, ours: tuple[str, ...] | None) -> Iterator[Headline]:
    for table in map(get_table, MAIN_TABLES):
        for column in table.columns:
            headline = compare_best(column, read_column(table, column, results), ours)
            if headline is not None:
                yield headline


def read_column(table: ResultTable, column: DatasetColumn, results: Path) -> dict[str, Runs]:
    """Return the stored runs of every method of a column that has any."""
    cells = {
        method: Cell(table.name, column.dataset, column.split_kind, method)
        for method in table.methods_on(column.dataset)
    }
    runs = {method: read_runs(cell, results) for method, cell in cells.items()}
    return {method: stored for method, stored in runs.items() if stored}


def compare_best(
    column: DatasetColumn, runs: dict[str, Runs], ours: tuple[str, ...] | None = None
) -> Headline | None:
    """Compare our best row with the best rival; ``None`` if they share fewer than two seeds."""
    means = {method: summarise(stored).mean for method, stored in runs.items()}
    own = [m for m in means if METHOD_ROWS[m].kind == "ours" and (ours is None or m in ours)]
    rivals = [m for m in means if METHOD_ROWS[m].kind == "rival"]
    if not own or not rivals:
        return None
    best, rival = (max(group, key=lambda method: means[method]) for group in (own, rivals))
    difference = compare(runs[best], runs[rival])
    return None if difference is None else Headline(column, best, rival, runs, difference)


def find_gamma(method: str, dataset: str, results: Path) -> float | None:
    """Return the tuned exponent gamma of a row of ours, or ``None`` if nothing was tuned."""
    row = METHOD_ROWS[method]
    if not is_tuned(results, dataset, row.based_on or row.key):
        return None
    settings, _ = read_tuned(row, dataset, results)
    return float(settings["gamma"])
