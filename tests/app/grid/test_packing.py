"""Packed grids: text columns survive, and grids without them keep their bytes."""

from dataclasses import replace

import numpy as np

from app.grid.grid import TextColumn
from app.grid.packing import pack_grid, unpack_grid
from tests.app.grid.small_grids import make_grid


def test_text_columns_survive_packing() -> None:
    column = TextColumn(("x", "y"), np.array([1, -1, 0]))
    grid = unpack_grid(pack_grid(replace(make_grid(), text_columns={"operator": column})))
    assert grid.text_columns["operator"].values == ("x", "y")
    assert grid.text_columns["operator"].codes.tolist() == [1, -1, 0]
    assert grid.substations is None


def test_a_grid_without_texts_packs_as_before() -> None:
    blob = pack_grid(make_grid())
    assert b"operator" not in blob
    # 16 fields: no place for substations or text columns, so the hash of old grids stays.
    assert blob[0] == 0xDC
    assert int.from_bytes(blob[1:3], "big") == 16
