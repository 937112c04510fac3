"""A graph whose classes follow its communities, small enough for every baseline."""

import numpy as np

from ml.graph.graph import Graph
from ml.graph.split import Split, stratified_split


def two_communities(size: int = 20, seed: int = 0, *, directed: bool = False) -> Graph:
    """Two dense groups with a few links between them; features tell the class with noise."""
    generator = np.random.default_rng(seed)
    count = 2 * size
    labels = np.repeat([0, 1], size)
    same = labels[:, None] == labels[None, :]
    chance = np.where(same, 0.3, 0.02)
    edges = np.argwhere(np.triu(generator.random((count, count)) < chance, k=1))
    if directed:
        turned = generator.random(len(edges)) < 0.5
        edges[turned] = edges[turned][:, ::-1]
    features = np.eye(2)[labels] + generator.normal(0, 0.4, (count, 2))
    return Graph(count, edges, np.ones(len(edges)), directed, features, labels=labels)


def split_of(graph: Graph) -> Split:
    return stratified_split(graph.labels, seed=0, fractions=(0.2, 0.2, 0.6))
