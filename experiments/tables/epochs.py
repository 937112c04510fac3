"""Table "epochs": epochs with and without P-DropEdge, from the cells of other tables."""

from pathlib import Path

import numpy as np

from experiments.runs import all_cells
from experiments.tables.table import ResultTable


def render(results: Path) -> list[str]:
    """Return epochs to the best validation score with and without P-DropEdge."""
    cells = {
        (cell.dataset, cell.split_kind, cell.method): {
            run["seed"]: run["best_epoch"] for run in runs
        }
        for cell, runs in all_cells(results)
        if cell.table in {"directed", "undirected", "tasks"}
    }
    rows = []
    for (dataset, split_kind, method), whole in sorted(cells.items()):
        dropped = cells.get((dataset, split_kind, "lfgcn"))
        if method != "lfgcn_whole" or dropped is None:
            continue
        shared = sorted(whole.keys() & dropped.keys())
        if shared:
            before = np.mean([whole[seed] for seed in shared])
            after = np.mean([dropped[seed] for seed in shared])
            rows.append(
                f"| {dataset} | {split_kind} | {before:.1f} | {after:.1f} | {len(shared)} |"
            )
    if not rows:
        return ["Not run.", ""]
    head = [
        "| data set | split | without P-DropEdge | with P-DropEdge | seeds |",
        "|---|---|---|---|---|",
    ]
    return ["Mean epoch of the best validation loss.", "", *head, *rows, ""]


TABLE = ResultTable(
    name="epochs",
    title="Epochs to the best validation score",
    columns=(),
    methods=(),
    render=render,
)
