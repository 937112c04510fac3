"""Table "runtime": seconds per epoch, from the cells of the other tables."""

from pathlib import Path
from typing import Any

import numpy as np

from experiments.methods import METHOD_ROWS
from experiments.runs import all_cells
from experiments.tables.table import ResultTable

PAPER_LFGCN = {
    "cora": 0.04,
    "citeseer": 0.27,
    "pubmed": 0.22,
    "cora_directed": 0.15,
    "ieee118": 0.01,
    "tx2000": 0.14,
    "sc500": 0.02,
}
PAPER_CITESEER = {"gcn": 0.22, "mixhop": 0.41, "vpn": 0.26, "appnp": 0.27, "lfgcn_whole": 0.27}
PAPER_DROPPING = {"lfgcn_uniform": 0.28, "lfgcn": 0.33}


def render(results: Path) -> list[str]:
    """Return the paper's three runtime tables next to the times of the stored runs."""
    measured = _measured(results)
    lines = ["Here: one thread of a shared CPU, set-up included. Paper: a Tesla V100.", ""]
    lines += ["| LFGCN on | paper (s) | here (s) |", "|---|---|---|"]
    for dataset, paper in PAPER_LFGCN.items():
        lines.append(f"| {dataset} | {paper:.2f} | {_show(measured.get((dataset, 'lfgcn')))} |")
    lines += ["", "| on CiteSeer | paper (s) | here (s) |", "|---|---|---|"]
    for method, paper in {**PAPER_CITESEER, **PAPER_DROPPING}.items():
        title = METHOD_ROWS[method].title
        lines.append(f"| {title} | {paper:.2f} | {_show(measured.get(('citeseer', method)))} |")
    return [*lines, ""]


def _measured(results: Path) -> dict[tuple[str, str], float]:
    seconds: dict[tuple[str, str], list[float]] = {}
    for cell, runs in all_cells(results):
        taken = [_per_epoch(run) for run in runs if run["epochs"]]
        seconds.setdefault((cell.dataset, cell.method), []).extend(taken)
    return {key: float(np.median(values)) for key, values in seconds.items() if values}


def _per_epoch(run: dict[str, Any]) -> float:
    return float(run["seconds"]) / int(run["epochs"])


def _show(value: float | None) -> str:
    return "not run" if value is None else f"{value:.3f}"


TABLE = ResultTable(
    name="runtime", title="Seconds per epoch", columns=(), methods=(), render=render
)
