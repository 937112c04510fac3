"""Compressed rows of matrices of pairs, whose patterns are remembered by their place."""

import torch
from torch import Tensor

from ml.nn.sparse_rows import KEPT_PATTERNS, from_pairs, from_pairs_transposed


def draw(seed: int) -> Tensor:
    """A sparse matrix of pairs; all of them have as many entries."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.randperm(20 * 30, generator=generator)[:50].sort().values
    values = torch.rand(50, generator=generator)
    index = torch.stack([places // 30, places % 30])
    return torch.sparse_coo_tensor(index, values, (20, 30), check_invariants=True).coalesce()


def test_matrices_of_equal_size_are_told_apart_while_they_live() -> None:
    for matrix in [draw(seed) for seed in range(2 * KEPT_PATTERNS)]:
        dense = matrix.to_dense()
        torch.testing.assert_close(from_pairs(matrix).to_dense(), dense)
        torch.testing.assert_close(from_pairs_transposed(matrix).to_dense(), dense.T)


def test_a_matrix_in_the_place_of_one_that_is_gone_is_its_own() -> None:
    for seed in range(20):
        matrix = draw(seed)
        torch.testing.assert_close(from_pairs_transposed(matrix).to_dense(), matrix.to_dense().T)
        del matrix
