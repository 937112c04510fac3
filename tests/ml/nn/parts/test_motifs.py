from itertools import combinations, permutations

import numpy as np
import pytest

from ml.arrays import FloatArray, IntArray
from ml.nn.parts.motifs import motif_matrices

SHAPES: list[set[tuple[int, int]]] = [
    {(0, 1), (1, 2), (2, 0)},
    {(0, 1), (1, 2), (2, 0), (1, 0)},
    {(0, 1), (1, 0), (1, 2), (2, 1), (2, 0)},
    {(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)},
    {(0, 1), (0, 2), (1, 2)},
    {(0, 1), (0, 2), (1, 2), (2, 1)},
    {(1, 0), (2, 0), (1, 2), (2, 1)},
    {(0, 1), (0, 2)},
    {(1, 0), (0, 2)},
    {(1, 0), (2, 0)},
    {(0, 1), (1, 0), (0, 2)},
    {(0, 1), (1, 0), (2, 0)},
    {(0, 1), (1, 0), (0, 2), (2, 0)},
]
"""M1 to M13 of Benson et al. (2016), as sets of directed links among three nodes."""


def count_by_hand(edges: IntArray, count: int, shape: set[tuple[int, int]]) -> FloatArray:
    """Compare every three nodes in every order with the shape."""
    links = {(int(a), int(b)) for a, b in edges}
    total = np.zeros((count, count))
    for trio in combinations(range(count), 3):
        found = {(a, b) for a, b in permutations(trio, 2) if (a, b) in links}
        if any(found == {(o[a], o[b]) for a, b in shape} for o in permutations(trio)):
            for one, other in permutations(trio, 2):
                total[one, other] += 1
    return total


@pytest.mark.parametrize("number", range(13))
def test_counts_agree_with_looking_at_every_three_nodes(number: int) -> None:
    generator = np.random.default_rng(number)
    linked = generator.random((9, 9)) < 0.35
    np.fill_diagonal(linked, val=False)
    edges = np.argwhere(linked)
    matrix = motif_matrices(edges, 9, directed=True)[number].toarray()
    np.testing.assert_array_equal(matrix, count_by_hand(edges, 9, SHAPES[number]))


def test_an_undirected_graph_has_only_triangles_and_wedges_of_double_links() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])
    present = [matrix.nnz > 0 for matrix in motif_matrices(edges, 4, directed=False)]
    assert [number + 1 for number, found in enumerate(present) if found] == [4, 13]
