"""Small grids for tests of places."""

import numpy as np

from app.grid.grid import Grid


def make_grid() -> Grid:
    """Return a line a-b and a transformer b-c."""
    return Grid(
        name="grid",
        source="test",
        bus_ids=("a", "b", "c"),
        aliases={},
        coordinates=np.full((3, 2), np.nan),
        coordinate_system="none",
        feature_names=("base_kv",),
        feature_units=("kV",),
        features=np.array([[110.0], [110.0], [20.0]]),
        ends=np.array([[0, 1], [1, 2]]),
        weights=np.ones(2),
        kinds=np.array([0, 1]),
        kind_names=("line", "transformer"),
    )
