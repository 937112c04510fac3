"""The branches at a bus as columns of the bus."""

import dataclasses

import numpy as np
import pytest

from app.grid.branches import describe_branches
from app.grid.grid import Columns
from tests.app.grid.small_grids import make_grid

NAMES = ("r", "x", "b", "rating", "tap")


def describe(rows: list[list[float]], names: tuple[str, ...] = NAMES) -> np.ndarray:
    grid = make_grid()
    columns = Columns(names, ("",) * len(names), np.array(rows))
    found = describe_branches(dataclasses.replace(grid, branch_columns=columns))
    assert found is not None
    return found


def test_mean_least_and_largest_of_the_branches_at_a_bus() -> None:
    found = describe([[0.1, 0.5, 0.2, 99, 0], [0.0, 0.25, 0.0, 0, 1.05]])
    assert found.shape == (3, 18)
    line = [np.log(0.5), 0.2, np.log(0.2), np.log(100), 0, 0.1]
    transformer = [np.log(0.25), 0, np.log(1e-6), 0, 1, 0]
    assert found[0] == pytest.approx(line * 3)
    middle = np.concatenate(
        [
            np.mean([line, transformer], axis=0),
            np.minimum(line, transformer),
            np.maximum(line, transformer),
        ]
    )
    assert found[1] == pytest.approx(middle)
    assert found[2] == pytest.approx(transformer * 3)


def test_unknown_and_infinite_values_stay_finite() -> None:
    found = describe([[np.nan, np.inf, np.nan, np.inf, np.nan], [0, 0, 0, 0, 0]])
    assert np.isfinite(found).all()


def test_a_bus_without_a_branch_has_zeros() -> None:
    grid = dataclasses.replace(
        make_grid(),
        ends=np.array([[0, 1]]),
        weights=np.ones(1),
        kinds=np.zeros(1, dtype=np.int64),
        branch_columns=Columns(("x",), ("",), np.array([[0.5]])),
    )
    found = describe_branches(grid)
    assert found is not None
    assert not found[2].any()
    assert found[0].any()


def test_nothing_is_said_where_the_source_gives_no_reactance() -> None:
    assert describe_branches(make_grid()) is None
