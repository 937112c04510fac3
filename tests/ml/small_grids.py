"""Small graphs whose classes can be learned in a few epochs."""

import numpy as np

from ml.config.levy import LfgcnSettings
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.graph.split import Split, stratified_split
from ml.methods.registry import make_config


def ring_with_chords(node_count: int = 30, seed: int = 0, **changes: object) -> Graph:
    """A ring and some chords, one isolated node, two noisy features that tell three classes."""
    generator = np.random.default_rng(seed)
    connected = node_count - 1
    ring = np.stack([np.arange(connected), (np.arange(connected) + 1) % connected], axis=1)
    chords = np.array([[i, (i + connected // 2) % connected] for i in range(0, connected, 7)])
    edges = np.concatenate([ring, chords])
    labels = np.arange(node_count) % 3
    features = np.stack([labels == 1, labels == 2], axis=1) + generator.normal(
        0, 0.2, (node_count, 2)
    )
    parts: dict[str, object] = {
        "node_count": node_count,
        "edges": edges,
        "weights": generator.uniform(0.5, 2.0, len(edges)),
        "features": features,
        "feature_names": ("load", "generation"),
        "labels": labels,
        "class_names": ("neither", "load", "generator"),
    }
    return Graph(**{**parts, **changes})  # type: ignore[arg-type]  # changes are checked by Graph


def split_of(graph: Graph) -> Split:
    return stratified_split(graph.labels, seed=0, fractions=(0.3, 0.3, 0.4))


def quick(**changes: object) -> NetworkSettings:
    """A run of a few epochs on a narrow network."""
    settings: dict[str, object] = {"epochs": 8, "patience": None, "width": 8, "device": "cpu"}
    return make_config(**{**settings, **changes})


def quick_levy(**changes: object) -> LfgcnSettings:
    """The same for LFGCN, whose settings have a reach and a Lévy exponent."""
    config = quick(**changes)
    assert isinstance(config, LfgcnSettings)
    return config
