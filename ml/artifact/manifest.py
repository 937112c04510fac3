"""What every stored model says of the data it was made from."""

from typing import Any

from ml.arrays import IntArray
from ml.graph.graph import Graph
from ml.graph.split import Split


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
