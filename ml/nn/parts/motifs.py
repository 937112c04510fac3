"""Motif adjacency matrices of a directed graph, from which MotifNet builds its Laplacians."""

import numpy as np
import scipy.sparse as sp

from ml.arrays import IntArray, SparseMatrix
from ml.graph.laplacian import degrees_of


def motif_matrices(edges: IntArray, node_count: int, *, directed: bool) -> list[SparseMatrix]:
    """Count for each pair of nodes the instances of each three-node motif that contain both.

    Equation: Benson et al. (2016), motifs M1 to M13, as used by Monti et al. (2018), Fig. 2.
    Deviation: an undirected edge counts as both directions, so only M4 and M13 occur.
    Shapes: edges (E, 2) -> 13 symmetric matrices (N, N), zero diagonal.
    """
    one_way, both_ways = _directions(edges, node_count, directed=directed)
    return [*_triangles(one_way, both_ways), *_wedges(one_way, both_ways)]


def _directions(
    edges: IntArray, node_count: int, *, directed: bool
) -> tuple[SparseMatrix, SparseMatrix]:
    ones = np.ones(len(edges))
    shape = (node_count, node_count)
    pattern = sp.csr_array(sp.coo_array((ones, (edges[:, 0], edges[:, 1])), shape=shape))
    if not directed:
        pattern = sp.csr_array(pattern + pattern.T)
    pattern.data = np.ones_like(pattern.data)
    both_ways = sp.csr_array(pattern.multiply(pattern.T))
    one_way = sp.csr_array(pattern - both_ways)
    one_way.eliminate_zeros()
    return one_way, both_ways


def _triangles(one_way: SparseMatrix, both_ways: SparseMatrix) -> list[SparseMatrix]:
    """Return M1 to M7. Equation: Benson et al. (2016), supplementary table S6."""
    u, b, back = one_way, both_ways, one_way.T
    halves = [
        (u @ u) * back,
        (b @ u) * back + (u @ b) * back + (u @ u) * b,
        (b @ b) * u + (b @ u) * b + (u @ b) * b,
    ]
    m1, m2, m3 = (half + half.T for half in halves)
    m4 = (b @ b) * b
    half = (u @ u) * u + (u @ back) * u + (back @ u) * u
    m6 = (u @ b) * u + (b @ back) * back + (back @ u) * b
    m7 = (back @ b) * back + (b @ u) * u + (u @ back) * b
    return [sp.csr_array(matrix) for matrix in (m1, m2, m3, m4, half + half.T, m6, m7)]


def _wedges(one_way: SparseMatrix, both_ways: SparseMatrix) -> list[SparseMatrix]:
    """Return M8 to M13: two neighbours of a hub that are not linked themselves."""
    u, b, back = one_way, both_ways, sp.csr_array(one_way.T)
    linked = sp.csr_array(u + back + b)
    kinds = [(u, u), (back, u), (back, back), (b, u), (b, back), (b, b)]
    return [_wedge(first, second, linked) for first, second in kinds]


def _wedge(first: SparseMatrix, second: SparseMatrix, linked: SparseMatrix) -> SparseMatrix:
    """Count wedges whose hub has one leaf by ``first`` and the other by ``second``."""
    leaves = sp.csr_array(first.T @ second)
    leaves = leaves - leaves * linked
    leaves = leaves - sp.diags_array(leaves.diagonal())
    spokes = _partners(first, second, linked)
    if first is second:
        return _cleaned(leaves + spokes + spokes.T)
    spokes = spokes + _partners(second, first, linked)
    return _cleaned(leaves + leaves.T + spokes + spokes.T)


def _partners(spoke: SparseMatrix, other: SparseMatrix, linked: SparseMatrix) -> SparseMatrix:
    """Count for each spoke the other leaves of its hub that its own leaf is not linked to."""
    everyone = spoke * degrees_of(other)[:, None]
    return sp.csr_array(everyone - (other @ linked) * spoke - other * spoke)


def _cleaned(matrix: SparseMatrix) -> SparseMatrix:
    cleaned = sp.csr_array(matrix)
    cleaned.eliminate_zeros()
    return cleaned
