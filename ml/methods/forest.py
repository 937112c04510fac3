"""Random forest (Breiman 2001) from scikit-learn: features of each bus by itself."""

from typing import Any

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.artifact.inputs import add_degree
from ml.artifact.trees import pack_trees
from ml.graph.graph import Graph
from ml.graph.split import Split

PUBLISHED: dict[str, Any] = {"trees": 100, "depth": None, "leaf": 1}


def fit(
    graph: Graph, split: Split, settings: dict[str, Any], seed: int
) -> tuple[FloatArray, Tensors]:
    """Train on the features and the weighted degree of the training nodes.

    Deviation: the degree is the one thing it is told of the graph.
    Shapes: (N, K), rows sum to one; the trees as node arrays of ``ml.artifact.trees``.
    """
    # Imported late: most jobs end before a forest is grown, and this takes as long as torch.
    from sklearn.ensemble import RandomForestClassifier

    columns = add_degree(graph.features, graph)
    forest = RandomForestClassifier(
        n_estimators=settings["trees"],
        max_depth=settings["depth"],
        min_samples_leaf=settings["leaf"],
        random_state=seed,
    )
    forest.fit(columns[split.train], graph.labels[split.train])
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, forest.classes_] = forest.predict_proba(columns)
    return probabilities, pack_trees(forest.estimators_, forest.classes_, graph.class_count)


def classify(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> FloatArray:
    """Return the probabilities of ``fit`` alone, (N, K)."""
    return fit(graph, split, settings, seed)[0]
