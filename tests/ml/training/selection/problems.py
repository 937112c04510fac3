"""Small problems: two communities, rings, noise."""

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.graph.graph import UNLABELLED, Graph
from ml.training.selection.problem import LabelProblem


def make_communities(
    size: int = 20, known: int = 6, seed: int = 0, features: bool = True, noise: bool = False
) -> tuple[LabelProblem, IntArray]:
    """Two random communities joined by two edges; the class is the community, or a coin."""
    generator = np.random.default_rng(seed)
    edges = [
        (start + one, start + other)
        for start in (0, size)
        for one in range(size)
        for other in range(one)
        if generator.random() < 4 / size or other == one - 1
    ]
    edges += [(0, size), (size - 1, 2 * size - 1)]
    truth = np.repeat([0, 1], size)
    if noise:
        truth = generator.integers(0, 2, 2 * size)
    columns: FloatArray = np.zeros((2 * size, 0))
    if features:
        columns = generator.normal(size=(2 * size, 3))
    labels = np.full(2 * size, UNLABELLED)
    for label in (0, 1):
        chosen = generator.permutation(np.flatnonzero(truth == label))[:known]
        labels[chosen] = label
    graph = Graph(
        node_count=2 * size,
        edges=np.array(edges),
        weights=generator.uniform(0.5, 2, len(edges)),
        features=columns,
        labels=labels,
        class_names=("a", "b"),
    )
    return LabelProblem(graph), truth.astype(np.int64)
