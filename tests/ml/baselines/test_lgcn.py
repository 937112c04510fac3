import numpy as np
import torch

from ml.baselines.lgcn import LARGEST, largest_values, neighbour_table
from tests.ml.grids import star


def test_each_column_ranks_the_neighbours_by_itself() -> None:
    signal = torch.tensor([[0.0, 0.0], [1.0, 9.0], [5.0, 2.0], [3.0, 4.0]])
    table = torch.from_numpy(neighbour_table(star(3).adjacency))
    kept = largest_values(signal, table)
    assert kept.shape == (4, LARGEST, 2)
    assert kept[0, :3, 0].tolist() == [5.0, 3.0, 1.0]
    assert kept[0, :3, 1].tolist() == [9.0, 4.0, 2.0]


def test_missing_neighbours_count_as_zero() -> None:
    signal = torch.tensor([[-2.0], [-1.0]])
    kept = largest_values(signal, torch.from_numpy(neighbour_table(star(1).adjacency)))
    assert kept[0, :, 0].tolist() == [-1.0] + [0.0] * (LARGEST - 1)


def test_the_table_lists_exactly_the_neighbours() -> None:
    table = neighbour_table(star(3).adjacency)
    np.testing.assert_array_equal(np.sort(table[0]), [1, 2, 3])
    np.testing.assert_array_equal(table[1], [0, 4, 4])
