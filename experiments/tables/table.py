"""What a table consists of, and the list of them all."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import cast

from experiments.methods import CONTENDERS, Contender
from experiments.protocol import CITATION
from experiments.runs import Cell

Paper = dict[tuple[str, str], tuple[float, float | None]]
"""The paper's mean and standard deviation in percent, by data set and method."""

Figure = float | tuple[float, float]


def paper_figures(columns: dict[str, dict[str, Figure]]) -> Paper:
    """Return the paper's figures by data set and method; most have no deviation."""
    return {
        (dataset, method): figure if isinstance(figure, tuple) else (figure, None)
        for dataset, figures in columns.items()
        for method, figure in figures.items()
    }


@dataclass(frozen=True)
class Job:
    """A cell, the method that fills it and how many seeds it takes."""

    cell: Cell
    contender: Contender
    seeds: int


@dataclass(frozen=True)
class Column:
    """One data set of a table under one kind of split."""

    dataset: str
    setting: str
    seeds: int


@dataclass(frozen=True)
class Table:
    """A table of the document: its jobs, the paper's figures and how it is written."""

    name: str
    title: str
    columns: tuple[Column, ...]
    methods: tuple[str, ...]
    paper: Paper = field(default_factory=dict)
    extra: Callable[[], list[Job]] | None = None
    render: Callable[[Path], list[str]] | None = None
    note: str = ""

    def jobs(self) -> list[Job]:
        """Return everything the table needs, data set by data set."""
        regular = [
            Job(
                Cell(self.name, column.dataset, column.setting, method),
                CONTENDERS[method],
                column.seeds,
            )
            for column in self.columns
            for method in self.methods_on(column.dataset)
        ]
        return regular if self.extra is None else [*regular, *self.extra()]

    def methods_on(self, dataset: str) -> tuple[str, ...]:
        """Return the rows that a data set has: papers know no loads, so the hand rule not them."""
        return tuple(
            method
            for method in self.methods
            if dataset not in CITATION or not CONTENDERS[method].grids_only
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


def get_table(name: str) -> Table:
    """Return a table by its name."""
    return cast("Table", import_module(f"experiments.tables.{name}").TABLE)


def choose_jobs(wanted: str | None) -> list[Job]:
    """Return the jobs of a table, of a data set wherever it occurs first, or of everything.

    Raises: KeyError if neither a table nor a data set has that name.
    """
    tables = [get_table(name) for name in TABLE_NAMES]
    if wanted is None:
        return [job for table in tables for job in table.jobs()]
    if wanted in TABLE_NAMES:
        return get_table(wanted).jobs()
    jobs = [job for table in tables[:3] for job in table.jobs() if job.cell.dataset == wanted]
    if not jobs:
        raise KeyError(wanted)
    return jobs
