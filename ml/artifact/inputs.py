"""What a stored model is shown of a graph: its columns by name, scaled as in training."""

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.errors import Fault, InvalidGraph
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of
from ml.graph.scaling import FeatureScaling


def pick_columns(artifact: Artifact, graph: Graph) -> FloatArray:
    """Return the columns that the model knows, in its order.

    Shapes: (N, Q).
    Raises: InvalidGraph listing the features the model needs and the graph lacks.
    """
    names = artifact.manifest["feature_names"]
    missing = [name for name in names if name not in graph.feature_names]
    if missing:
        raise InvalidGraph([Fault("features", f"the model needs {name}") for name in missing])
    columns = [graph.feature_names.index(name) for name in names]
    return np.asarray(graph.features[:, columns])


def scale_columns(artifact: Artifact, graph: Graph) -> FloatArray:
    """Return the columns that the model knows as it was trained on them. Shapes: (N, Q)."""
    scaling = FeatureScaling.from_dict(artifact.manifest["scaling"])
    return scaling.transform(pick_columns(artifact, graph))


def add_degree(columns: FloatArray, graph: Graph) -> FloatArray:
    """Return columns with the weighted degree as the last one. Shapes: (N, Q) -> (N, Q + 1)."""
    degree = degrees_of(graph.adjacency).reshape(-1, 1)
    return np.concatenate([columns, degree], axis=1)
