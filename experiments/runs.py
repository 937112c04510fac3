"""Stored runs of the tables: one file per table, one line per cell, one entry per seed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.json_lines import Line, find_line, read_lines, update_line
from experiments.protocol import MeasuredRun

Runs = list[dict[str, Any]]
_FIELDS = frozenset({"table", "dataset", "setting", "method", "runs"})


@dataclass(frozen=True, order=True)
class Cell:
    """One method on one data set under one kind of split, in one table."""

    table: str
    dataset: str
    split_kind: str
    method: str

    def path(self, results: Path) -> Path:
        """Return the file of the table."""
        return results / f"{self.table}.jsonl"

    def key(self) -> dict[str, str]:
        """Return the fields of the stored line; the file calls the kind of split ``setting``."""
        return {"dataset": self.dataset, "setting": self.split_kind, "method": self.method}


def read_runs(cell: Cell, results: Path) -> Runs:
    """Return the stored runs of a cell in the order of their seeds."""
    line = find_line(cell.path(results), cell.key())
    return [] if line is None else list(line["runs"])


def read_runs_of(cell: Cell, results: Path, tuned_hash: str) -> Runs:
    """Return the stored runs that were made with the tuned configuration of this hash."""
    return _runs_of(find_line(cell.path(results), cell.key()), tuned_hash)


def missing_seeds(cell: Cell, results: Path, tuned_hash: str, seeds: int) -> list[int]:
    """Return the seeds still to run; a cell of another configuration counts as empty."""
    done = {run["seed"] for run in read_runs_of(cell, results, tuned_hash)}
    return [seed for seed in range(seeds) if seed not in done]


def copy_missing_runs(cell: Cell, results: Path, tuned_hash: str, seeds: int) -> None:
    """Copy missing seeds that another table has for the same method, data set and split."""
    missing = set(missing_seeds(cell, results, tuned_hash, seeds))
    copied: dict[int, dict[str, Any]] = {}
    for path in sorted(results.glob("*.jsonl")):
        other = replace(cell, table=path.stem)
        runs = read_runs_of(other, results, tuned_hash)
        copied |= {run["seed"]: run for run in runs if run["seed"] in missing}
    if copied:
        _add_runs(cell, results, tuned_hash, copied)


def add_run(cell: Cell, results: Path, tuned_hash: str, run: MeasuredRun) -> None:
    """Store one more run; runs of another configuration are dropped."""
    _add_runs(cell, results, tuned_hash, {run.seed: run.as_dict()})


def _add_runs(cell: Cell, results: Path, tuned_hash: str, new: dict[int, dict[str, Any]]) -> None:
    def change(line: Line | None) -> Line:
        runs = {run["seed"]: run for run in _runs_of(line, tuned_hash)} | new
        return {
            "table": cell.table,
            **cell.key(),
            "frozen": tuned_hash,
            "runs": [runs[seed] for seed in sorted(runs)],
        }

    update_line(cell.path(results), cell.key(), change)


def _runs_of(line: Line | None, tuned_hash: str) -> Runs:
    return list(line["runs"]) if line is not None and line.get("frozen") == tuned_hash else []


def all_cells(results: Path) -> list[tuple[Cell, Runs]]:
    """Return every stored cell with its runs, in a fixed order."""
    return [
        (Cell(line["table"], line["dataset"], line["setting"], line["method"]), line["runs"])
        for path in sorted(results.glob("*.jsonl"))
        for line in read_lines(path)
        if line.keys() >= _FIELDS
    ]
