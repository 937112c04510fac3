"""What is stored with every model: the data it was made from, and its baselines."""

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from ml.arrays import IntArray
from ml.errors import InvalidInput
from ml.graph.graph import Graph
from ml.graph.metrics import FigureDocument
from ml.graph.split import Split


class BaselineDocument(TypedDict, total=False):
    """One baseline as it was measured, or the reason why it was skipped."""

    key: str
    title: str
    seed: int | None
    skipped: str | None
    tried: int
    candidates: int
    seconds: float
    promotable: bool
    settings: dict[str, Any]
    description: str | None
    validation: FigureDocument
    test: FigureDocument
    owner_id: str
    model_id: str


def describe_inputs(graph: Graph, split: Split) -> dict[str, Any]:
    """Name columns, classes, graph, labels and split, with the hashes that identify them."""
    return {
        "feature_names": list(graph.feature_names),
        "class_names": list(graph.class_names),
        "graph_hash": graph.content_hash,
        "label_hash": graph.label_hash,
        "split": {
            "hash": split.content_hash,
            **{name: nodes.tolist() for name, nodes in split_parts(split).items()},
        },
    }


def split_parts(split: Split) -> dict[str, IntArray]:
    """Return the three sets of a split by their names."""
    return {"train": split.train, "validation": split.validation, "test": split.test}


def read_split(manifest: Mapping[str, Any]) -> Split | None:
    """Return the split that a manifest lists, if it is one."""
    try:
        stored = manifest["split"]
        parts = (np.array(stored[name], np.int64) for name in ("train", "validation", "test"))
        return Split(*parts)
    except (KeyError, TypeError, ValueError, InvalidInput):
        return None
