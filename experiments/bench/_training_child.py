"""One measurement of ``training`` in a separate process; prints a row as JSON."""

import json
import statistics
import sys
import time
from typing import Any, cast

import torch

from experiments.bench._grids import load_grid
from experiments.datasets.dataset import load_dataset
from ml.compute.allocator import keep_freed_memory
from ml.compute.memory import read_peak_bytes
from ml.config.settings import DropEdge, Scaling
from ml.drop_edge.scores import score_edges
from ml.graph.graph import Graph
from ml.graph.scaling import fit_scaling
from ml.graph.split import Split, random_split
from ml.methods.registry import estimate, make_config
from ml.training.setup import prepare


def main(name: str, kind: DropEdge, epochs: int) -> dict[str, Any]:
    """Estimate the cost of a training, prepare it and run some epochs."""
    keep_freed_memory()
    graph, split = _load(name)
    scaling: Scaling = "quantile" if name.isdecimal() else "none"
    config = make_config(drop_edge=kind, feature_scaling=scaling, device="cpu")
    columns = graph.features.shape[1]
    expected = estimate(graph.adjacency, config, columns, graph.class_count)
    if kind == "preferential":
        score_edges(graph, config.edge_score, config.seed)
    started = time.perf_counter()
    fitted = fit_scaling(graph.features, config.feature_scaling)
    optimisation = prepare(graph, split, config, fitted, torch.device("cpu"))
    setup = time.perf_counter() - started
    optimisation.run_epoch()
    epoch = statistics.median(optimisation.run_epoch().seconds for _ in range(epochs))
    return {
        "graph": name,
        "nodes": graph.node_count,
        "edges": len(graph.pairs),
        "drop_edge": kind,
        "operator": expected.kind,
        "reason": expected.reason,
        "setup_seconds": round(setup, 6),
        "setup_estimated": round(expected.setup_seconds, 3),
        "epoch_seconds": round(epoch, 6),
        "epoch_estimated": round(expected.epoch_seconds, 4),
        "peak_rss_gb": round(read_peak_bytes() / 1e9, 3),
        "memory_estimated_gb": round(expected.memory_bytes / 1e9, 3),
    }


def _load(name: str) -> tuple[Graph, Split]:
    if name.isdecimal():
        graph = load_grid(int(name))
        return graph, random_split(graph.labels, seed=0)
    dataset = load_dataset(name)
    return dataset.graph, dataset.published or dataset.draw_split(0)


if __name__ == "__main__":
    _, graph_name, drop_edge, count = sys.argv
    sys.stdout.write(json.dumps(main(graph_name, cast("DropEdge", drop_edge), int(count))))
