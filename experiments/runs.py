"""Finished runs as small JSON files: a later run continues, a reader can check."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.protocol import Measurement

RESULTS = Path("experiments/results")


@dataclass(frozen=True, order=True)
class Cell:
    """One method on one data set under one kind of split, in one table."""

    table: str
    dataset: str
    setting: str
    method: str

    def path(self, results: Path) -> Path:
        """Return where the cell is kept."""
        return results / self.table / f"{self.dataset}.{self.setting}.{self.method}.json"


def read_cell(cell: Cell, results: Path) -> dict[str, Any]:
    """Return the stored cell, or an empty one."""
    path = cell.path(results)
    if not path.exists():
        return {"runs": []}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def write_cell(cell: Cell, results: Path, frozen: str, runs: list[dict[str, Any]]) -> None:
    """Replace the stored cell in one step."""
    path = cell.path(results)
    content = {
        "table": cell.table,
        "dataset": cell.dataset,
        "setting": cell.setting,
        "method": cell.method,
        "frozen": frozen,
        "runs": sorted(runs, key=lambda run: run["seed"]),
    }
    lines = json.dumps(content, indent=None, separators=(", ", ": "))
    replace_text(path, lines.replace('{"seed"', '\n{"seed"') + "\n")


def replace_text(path: Path, text: str) -> None:
    """Write a file in one step: whoever reads it meets all of it or what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def missing_seeds(cell: Cell, results: Path, frozen: str, seeds: int) -> list[int]:
    """Return the seeds still to run; a cell of another configuration counts as empty."""
    stored = read_cell(cell, results)
    if stored.get("frozen") != frozen:
        return list(range(seeds))
    done = {run["seed"] for run in stored["runs"]}
    return [seed for seed in range(seeds) if seed not in done]


def kept_runs(cell: Cell, results: Path, frozen: str) -> list[dict[str, Any]]:
    """Return the stored runs that belong to the frozen configuration."""
    stored = read_cell(cell, results)
    return list(stored["runs"]) if stored.get("frozen") == frozen else []


def take_over_runs(cell: Cell, results: Path, frozen: str, seeds: int) -> None:
    """Copy the missing seeds that another table has of the same method, data set and split."""
    missing = missing_seeds(cell, results, frozen, seeds)
    found = {run["seed"]: run for run in kept_runs(cell, results, frozen)}
    own = len(found)
    for path in sorted(results.glob(f"*/{cell.path(results).name}")):
        elsewhere = replace(cell, table=path.parent.name)
        runs = kept_runs(elsewhere, results, frozen)
        found |= {run["seed"]: run for run in runs if run["seed"] in missing}
    if len(found) > own:
        write_cell(cell, results, frozen, list(found.values()))


def add_run(cell: Cell, results: Path, frozen: str, run: Measurement) -> None:
    """Store one more run."""
    runs = [old for old in kept_runs(cell, results, frozen) if old["seed"] != run.seed]
    write_cell(cell, results, frozen, [*runs, run.as_dict()])


def all_cells(results: Path) -> list[tuple[Cell, list[dict[str, Any]]]]:
    """Return every stored cell with its runs, in a fixed order."""
    found = []
    for path in sorted(results.glob("*/*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        names = ("table", "dataset", "setting", "method")
        if {*names, "runs"} <= content.keys():
            found.append((Cell(*(content[name] for name in names)), content["runs"]))
    return found
