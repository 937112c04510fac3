"""Feeders are the parts of a radial grid behind its first branching."""

from dataclasses import replace

import numpy as np

from app.grid.grid import Grid, LabelSet
from app.labels.feeders import find_feeder_problem, trace_feeders
from tests.app.grid.small_grids import make_grid

_NAMES = ["source", "busbar", "a1", "a2", "b1", "b2", "b3", "lone"]


def _grid(pairs: list[tuple[str, str]], transformers: int = 1) -> Grid:
    """A source at 110 kV and a busbar at 20 kV; the first branches are transformers."""
    place = {name: at for at, name in enumerate(_NAMES)}
    count = len(_NAMES)
    kinds = np.zeros(len(pairs), dtype=np.int64)
    kinds[:transformers] = 1
    return replace(
        make_grid(),
        bus_ids=tuple(_NAMES),
        coordinates=np.full((count, 2), np.nan),
        features=np.array([[110.0], *[[20.0]] * (count - 1)]),
        ends=np.array([[place[one], place[other]] for one, other in pairs]),
        weights=np.ones(len(pairs)),
        kinds=kinds,
    )


_RADIAL = [
    *(("source", "busbar"), ("busbar", "a1"), ("a1", "a2")),
    *(("busbar", "b1"), ("b1", "b2"), ("b1", "b3")),
]
_TYPES = LabelSet("bus_type", ("PQ", "slack"), np.array([1, *[0] * 7]), "test")


def _trace(grid: Grid) -> dict[str, str]:
    feeders = trace_feeders(grid, _TYPES)
    named = zip(grid.bus_ids, feeders.classes, strict=True)
    return {bus: feeders.class_names[code] for bus, code in named if code >= 0}


def test_feeders_begin_behind_the_busbar_of_the_source() -> None:
    b = dict.fromkeys(("b1", "b2", "b3"), "b1")
    assert _trace(_grid(_RADIAL)) == {"a1": "a1", "a2": "a1"} | b


def test_a_line_before_the_first_branching_belongs_to_no_feeder() -> None:
    pairs = [("source", "busbar"), ("busbar", "a1"), ("a1", "a2"), ("a1", "b1"), ("b1", "b2")]
    assert _trace(_grid(pairs)) == {"a2": "a2", "b1": "b1", "b2": "b1"}


def test_a_closed_tie_makes_two_feeders_one() -> None:
    assert set(_trace(_grid([*_RADIAL, ("a2", "b2")])).values()) == {"a1"}


def test_parallel_transformers_and_branches_are_no_loops() -> None:
    grid = _grid([("source", "busbar"), *_RADIAL, ("a1", "a2")], transformers=2)
    assert find_feeder_problem(grid, _TYPES) is None
    assert set(_trace(grid).values()) == {"a1", "b1"}


def test_a_meshed_grid_and_one_without_a_source_have_no_feeders() -> None:
    meshed = _grid([*_RADIAL, ("a2", "b2"), ("a1", "b3")])
    assert "2 loops on 8 buses" in str(find_feeder_problem(meshed, _TYPES))
    assert "needs a source" in str(find_feeder_problem(_grid(_RADIAL), None))
    unsourced = replace(_TYPES, class_names=("PQ", "PV"))
    assert "needs a source" in str(find_feeder_problem(_grid(_RADIAL), unsourced))
