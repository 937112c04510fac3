"""Random forest (Breiman 2001) from scikit-learn: features of each bus by itself."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from ml.arrays import FloatArray
from ml.graph import Graph
from ml.levy.laplacian import degrees_of
from ml.split import Split

PUBLISHED: dict[str, Any] = {"trees": 100, "depth": None, "leaf": 1}


def classify(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> FloatArray:
    """Train on the features and the weighted degree of the training nodes.

    Deviation: the degree is the one thing it is told of the graph.
    Shapes: (N, K), rows sum to one.
    """
    degree = degrees_of(graph.adjacency).reshape(-1, 1)
    columns = np.concatenate([graph.features, degree], axis=1)
    forest = RandomForestClassifier(
        n_estimators=settings["trees"],
        max_depth=settings["depth"],
        min_samples_leaf=settings["leaf"],
        random_state=seed,
    )
    forest.fit(columns[split.train], graph.labels[split.train])
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, forest.classes_] = forest.predict_proba(columns)
    return probabilities
