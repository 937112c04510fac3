"""Graphs that the tests of the numerical code share."""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.graph.graph import Graph


def make_graph(pairs: list[tuple[int, int]], node_count: int | None = None) -> Graph:
    """An unweighted graph of these edges."""
    edges = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    count = int(edges.max()) + 1 if node_count is None else node_count
    return Graph(count, edges, np.ones(len(edges)))


def path(count: int) -> Graph:
    return make_graph([(node, node + 1) for node in range(count - 1)], count)


def ring(count: int) -> Graph:
    return make_graph([(node, (node + 1) % count) for node in range(count)])


def star(leaves: int) -> Graph:
    return make_graph([(0, leaf) for leaf in range(1, leaves + 1)])


def complete(count: int) -> Graph:
    return make_graph([(i, j) for i in range(count) for j in range(i + 1, count)])


def grid_like(count: int, seed: int, *, spread: float = 1.0) -> Graph:
    """A connected weighted graph, almost a tree, as power grids are."""
    generator = np.random.default_rng(seed)
    parents = np.array([generator.integers(max(0, node - 6), node) for node in range(1, count)])
    tree = np.stack([np.arange(1, count), parents], axis=1)
    chords = generator.integers(count, size=(count // 3, 2))
    chords = chords[chords[:, 0] != chords[:, 1]]
    edges = np.concatenate([tree, chords]).astype(np.int64)
    weights = np.exp(spread * generator.normal(size=len(edges)))
    return Graph(count, edges, weights)


def tangle(core: int, fringe: int, seed: int = 0) -> Graph:
    """A weighted random graph with trees around it, as citation graphs are."""
    generator = np.random.default_rng(seed)
    ring = np.stack([np.arange(core), (np.arange(core) + 1) % core], axis=1)
    chords = generator.integers(core, size=(3 * core, 2))
    leaves = np.arange(core, core + fringe)
    trees = np.stack([leaves, generator.integers(leaves)], axis=1)
    edges = np.concatenate([ring, chords[chords[:, 0] != chords[:, 1]], trees])
    weights = np.exp(generator.normal(size=len(edges)))
    return Graph(core + fringe, edges, weights)


ISOLATED = 12


def archipelago() -> Graph:
    """Three weighted islands of 12, 7 and 2 nodes; node 12 is isolated."""
    parts = [(grid_like(12, 1), 0), (grid_like(7, 2), 13), (path(2), 20)]
    edges = np.concatenate([part.edges + offset for part, offset in parts])
    weights = np.concatenate([part.weights for part, _ in parts])
    return Graph(22, edges, weights)


@cache
def ieee118() -> Graph:
    """The IEEE 118-bus system, one unit of weight per circuit, loads and generation as features."""
    import pandapower.networks

    network = pandapower.networks.case118()
    lines = network.line[["from_bus", "to_bus"]].to_numpy()
    transformers = network.trafo[["hv_bus", "lv_bus"]].to_numpy()
    edges = np.concatenate([lines, transformers]).astype(np.int64)
    return Graph(len(network.bus), edges, np.ones(len(edges)))


@st.composite
def connected_graphs(draw: st.DrawFn, largest: int = 12) -> Graph:
    """Weighted connected graphs of 2 to ``largest`` nodes."""
    count = draw(st.integers(2, largest))
    tree = [(node, draw(st.integers(0, node - 1))) for node in range(1, count)]
    nodes = st.integers(0, count - 1)
    chords = draw(st.lists(st.tuples(nodes, nodes), max_size=count))
    edges = tree + [chord for chord in chords if chord[0] != chord[1]]
    weights = draw(st.lists(st.floats(0.01, 100), min_size=len(edges), max_size=len(edges)))
    return Graph(count, np.asarray(edges), np.asarray(weights))


def relabelled(graph: Graph, order: IntArray) -> SparseMatrix:
    """The adjacency with its nodes in another order."""
    return graph.adjacency[order][:, order]


def random_signal(node_count: int, columns: int = 3, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(node_count, columns))
