"""Which buses a text may mean."""

import time
from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np

from app.grid.grid import Grid


def _make_grid(ids: tuple[str, ...], **aliases: tuple[str, ...]) -> Grid:
    count = len(ids)
    return Grid(
        name="grid",
        source="test",
        bus_ids=ids,
        aliases=aliases,
        coordinates=np.full((count, 2), np.nan),
        coordinate_system="none",
        feature_names=(),
        feature_units=(),
        features=np.zeros((count, 0)),
        ends=np.zeros((0, 2), dtype=np.int64),
        weights=np.zeros(0),
        kinds=np.zeros(0, dtype=np.int64),
        kind_names=("line",),
    )


def test_ids_take_precedence_over_names_and_names_may_repeat() -> None:
    grid = _make_grid(("a", "b", "c"), name=("b", "x", "x"), uid=("", "x", "y"))
    assert grid.find_buses("b") == [1]
    assert grid.find_buses("x") == [1, 2]
    assert grid.find_buses("y") == [2]
    assert grid.find_buses("") == grid.find_buses("z") == []


def test_a_name_that_all_buses_share_is_found_at_once() -> None:
    count = 100_000
    grid = _make_grid(tuple(map(str, range(count))), name=("x",) * count)
    started = time.process_time()
    assert grid.find_buses("x") == list(range(count))
    assert time.process_time() - started < 5  # 150 s where each position is sought in a list


def test_a_slow_lookup_does_not_block_other_grids() -> None:
    other = _make_grid(("b",))
    asked = Thread(target=other.find_buses, args=("x",), daemon=True)

    class SlowAliases(dict[str, tuple[str, ...]]):
        def values(self) -> Any:
            asked.start()
            asked.join(timeout=10)
            return super().values()

    replace(other, aliases=SlowAliases()).find_buses("a")
    assert not asked.is_alive()
