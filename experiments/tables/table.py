"""Parts of a table, and the list of all tables."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import cast

from experiments.methods import METHOD_ROWS, MethodRow
from experiments.protocol import CITATION
from experiments.runs import Cell

PaperFigures = dict[tuple[str, str], tuple[float, float | None]]
"""The paper's mean and standard deviation in percent, by data set and method."""

PaperFigure = float | tuple[float, float]


def paper_figures(columns: dict[str, dict[str, PaperFigure]]) -> PaperFigures:
    """Return the paper's figures by data set and method; most have no deviation."""
    return {
        (dataset, method): figure if isinstance(figure, tuple) else (figure, None)
        for dataset, figures in columns.items()
        for method, figure in figures.items()
    }


@dataclass(frozen=True)
class CellJob:
    """A cell to fill, the row of its method and the number of seeds."""

    cell: Cell
    row: MethodRow
    seeds: int


@dataclass(frozen=True)
class DatasetColumn:
    """One data set of a table under one kind of split."""

    dataset: str
    split_kind: str
    seeds: int


@dataclass(frozen=True)
class ResultTable:
    """A table of the page.

    ``paper`` has the paper's figures, ``extra_jobs`` lists cells besides rows times columns,
    ``render`` returns further lines of the page from the stored results, and ``draw`` returns
    charts as SVG by file name.
    """

    name: str
    title: str
    columns: tuple[DatasetColumn, ...]
    methods: tuple[str, ...]
    paper: PaperFigures = field(default_factory=dict)
    extra_jobs: Callable[[], list[CellJob]] | None = None
    render: Callable[[Path], list[str]] | None = None
    draw: Callable[[Path], dict[str, str]] | None = None

    def jobs(self) -> list[CellJob]:
        """Return everything the table needs, data set by data set."""
        regular = [
            CellJob(
                Cell(self.name, column.dataset, column.split_kind, method),
                METHOD_ROWS[method],
                column.seeds,
            )
            for column in self.columns
            for method in self.methods_on(column.dataset)
        ]
        return regular if self.extra_jobs is None else [*regular, *self.extra_jobs()]

    def methods_on(self, dataset: str) -> tuple[str, ...]:
        """Return the rows of a data set; the hand rule needs loads, which citations lack."""
        return tuple(
            method
            for method in self.methods
            if dataset not in CITATION or not METHOD_ROWS[method].grids_only
        )


TABLE_NAMES = (
    "directed",
    "tasks",
    "undirected",
    "ablation",
    "drop_edge",
    "sensitivity",
    "epochs",
    "runtime",
)
_MAIN_TABLES = TABLE_NAMES[:3]


def get_table(name: str) -> ResultTable:
    """Return a table by its name."""
    return cast("ResultTable", import_module(f"experiments.tables.{name}").TABLE)


def list_dataset_names() -> list[str]:
    """Return the data sets that can be reproduced by name."""
    columns = [column for name in _MAIN_TABLES for column in get_table(name).columns]
    return list(dict.fromkeys(column.dataset for column in columns))


def choose_jobs(name: str | None) -> list[CellJob]:
    """Return the jobs of a table, of a data set in the three main tables, or of all tables.

    Raises: KeyError if neither a table nor a data set has that name.
    """
    if name is None:
        return [job for table in TABLE_NAMES for job in get_table(table).jobs()]
    if name in TABLE_NAMES:
        return get_table(name).jobs()
    jobs = [job for table in _MAIN_TABLES for job in get_table(table).jobs()]
    if name not in {job.cell.dataset for job in jobs}:
        raise KeyError(name)
    return [job for job in jobs if job.cell.dataset == name]
