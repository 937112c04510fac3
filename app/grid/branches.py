"""What the branches at each bus are like: electrical data as columns of the buses."""

import numpy as np

from app.grid.grid import Grid
from ml.arrays import FloatArray

_LEAST = 1e-6
"""Impedances and admittances below this count as this: their logarithm stays finite."""


def describe_branches(grid: Grid) -> FloatArray | None:
    """Return mean, least and largest value over the branches at each bus.

    The values are the logarithms of reactance, charging and rating, the ratio of resistance
    to reactance, whether the ratio of a transformer is changed, and reactance times charging,
    which grows with the length of a line. None if the source gives no reactance.

    Shapes: (N, 18); zero for a bus without a branch.
    """
    columns = dict(zip(grid.branch_columns.names, grid.branch_columns.values.T, strict=True))
    if "x" not in columns or not grid.branch_count:
        return None
    zero = np.zeros(grid.branch_count)
    resistance, reactance, charging, rating = (
        np.abs(_fill(columns.get(name, zero))) for name in ("r", "x", "b", "rating")
    )
    tap = _fill(columns.get("tap", zero))
    values = np.column_stack(
        [
            np.log(np.maximum(reactance, _LEAST)),
            resistance / np.maximum(reactance, _LEAST),
            np.log(np.maximum(charging, _LEAST)),
            np.log1p(rating),
            (tap != 0) & (tap != 1),
            reactance * charging,
        ]
    )
    return _summarise(grid, values)


def _fill(values: FloatArray) -> FloatArray:
    """Return a column with zero where a value is unknown or infinite."""
    return np.where(np.isfinite(values), values, 0.0)


def _summarise(grid: Grid, values: FloatArray) -> FloatArray:
    """Return mean, least and largest value at each bus. Shapes: (E, B) -> (N, 3 B)."""
    buses = grid.ends.ravel()
    both = np.repeat(values, 2, axis=0)
    shape = (grid.bus_count, values.shape[1])
    total, least, largest = np.zeros(shape), np.full(shape, np.inf), np.full(shape, -np.inf)
    np.add.at(total, buses, both)
    np.minimum.at(least, buses, both)
    np.maximum.at(largest, buses, both)
    count = np.bincount(buses, minlength=grid.bus_count)[:, None]
    summary = np.concatenate([total / np.maximum(count, 1), least, largest], axis=1)
    return np.where(count > 0, summary, 0.0)
