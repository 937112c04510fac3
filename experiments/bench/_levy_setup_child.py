"""One measurement of ``levy_setup`` in a separate process; prints a row as JSON."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ml.arrays import SparseMatrix
from ml.compute.compiled import compiled
from ml.compute.memory import read_peak_bytes
from ml.graph.graph import islands_of
from ml.graph.laplacian import laplacian_of
from ml.levy.solver.powers import GraphPowers
from ml.levy.solver.quadrature import apply_power
from ml.levy.sparse import SparseLevyOperator

_LARGEST_SPECTRUM = 2000
_REPEATS = 5
_SAMPLED_NODES = 40
_SIGNALS = 8
_SIGMA = 1.0


@compiled
def _first_of_all(number: float) -> float:
    """Let numba finish its own imports, which are not part of a set-up."""
    return number


def main(path: str, gamma: float, *, cold_only: bool) -> dict[str, Any]:
    """Measure set-up, memory, the spectrum and the error, in this order."""
    adjacency = sp.csr_array(sp.load_npz(path))
    _first_of_all(1.0)
    cold = _seconds(lambda: _set_up(adjacency, gamma))
    row: dict[str, Any] = {"buses": adjacency.shape[0], "seconds_cold": round(cold, 5)}
    if cold_only:
        return row
    powers, operator = _set_up(adjacency, gamma)
    operator.apply(np.ones((adjacency.shape[0], 12)))
    peak = read_peak_bytes() / 1e9
    warm = statistics.median(_seconds(lambda: _set_up(adjacency, gamma)) for _ in range(_REPEATS))
    eigh = _eigh_seconds(adjacency)
    return row | {
        "seconds": round(warm, 5),
        "speedup": None if eigh is None else float(f"{eigh / warm:.3g}"),
        "speedup_cold": None if eigh is None else float(f"{eigh / cold:.3g}"),
        "error": _error(adjacency, operator, powers.lowest * powers.scale / 2),
        "poles": operator.pole_count,
        "peak_rss_gb": round(peak, 3),
        "eigh_seconds": None if eigh is None else round(eigh, 3),
    }


def _set_up(adjacency: SparseMatrix, gamma: float) -> tuple[GraphPowers, SparseLevyOperator]:
    powers = GraphPowers(adjacency, gamma)
    return powers, SparseLevyOperator(powers.whole(), _SIGMA)


def _seconds(task: Callable[[], object]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def _eigh_seconds(adjacency: SparseMatrix) -> float | None:
    if adjacency.shape[0] > _LARGEST_SPECTRUM:
        return None
    laplacian = laplacian_of(adjacency).toarray()
    return min(_seconds(lambda: np.linalg.eigh(laplacian)) for _ in range(3))


def _error(adjacency: SparseMatrix, operator: SparseLevyOperator, lowest: float) -> float:
    """Return ``|(Lt - Lt_ref) X| / |Lt_ref X|`` at sampled nodes.

    With sigma = 1 a row of ``Lt_ref = I - D^-1 L^g`` needs only the degree of its own node, which
    the quadrature computes from a unit signal.
    """
    generator = np.random.default_rng(0)
    count = adjacency.shape[0]
    nodes = generator.choice(count, size=min(count, _SAMPLED_NODES), replace=False)
    nodes = nodes[operator.diagonal()[nodes] > 0]
    signals = generator.normal(size=(count, _SIGNALS))
    for island in range(int((islands := islands_of(adjacency)).max()) + 1):
        members = islands == island
        signals[members] -= signals[members].mean(axis=0)
    units = np.zeros((count, len(nodes)))
    units[nodes, np.arange(len(nodes))] = 1
    power = apply_power(adjacency, operator.gamma, np.hstack([units, signals]), lowest)[nodes]
    degrees = np.diagonal(power[:, : len(nodes)])[:, None]
    expected = signals[nodes] - power[:, len(nodes) :] / degrees
    difference = operator.apply(signals)[nodes] - expected
    return float(np.linalg.norm(difference) / np.linalg.norm(expected))


if __name__ == "__main__":
    figures = main(sys.argv[1], float(sys.argv[2]), cold_only="--cold-only" in sys.argv)
    sys.stdout.write(json.dumps(figures))
