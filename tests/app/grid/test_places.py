"""Substations and coordinates: given, derived, stored, and handed to training."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from app.errors import StoredDataDamaged
from app.grid.grid import Grid, Substations
from app.grid.packing import hash_content, pack_grid, unpack_grid
from app.grid.places import (
    complete_substations,
    describe_substations,
    find_places,
    find_substations,
    group_names,
)
from tests.app.grid.small_grids import make_grid

HASH_BEFORE_SUBSTATIONS = "c3c685d9b0b8b87aa7d573364ce2d255b9472238fd9825c2de4734425eb48128"
"""Content hash of ``make_grid()`` in the release before grids had substations."""


def place(*coordinates: tuple[float, float]) -> Grid:
    return replace(make_grid(), coordinates=np.array(coordinates), coordinate_system="geographic")


def groups_of(grid: Grid) -> list[int] | None:
    substations = find_substations(grid)
    return None if substations is None else substations.groups.tolist()


def test_a_grid_without_substations_keeps_its_content_hash() -> None:
    assert hash_content(pack_grid(make_grid()), ()) == HASH_BEFORE_SUBSTATIONS


def test_a_stored_grid_without_substations_still_loads() -> None:
    assert unpack_grid(pack_grid(make_grid())).substations is None


@pytest.mark.parametrize("names", [(), ("north", "")])
def test_substations_survive_packing(names: tuple[str, ...]) -> None:
    grid = replace(make_grid(), substations=Substations(np.array([0, 1, 1]), "column", names))
    read = unpack_grid(pack_grid(grid)).substations
    assert read is not None
    assert read.groups.tolist() == [0, 1, 1]
    assert (read.source, read.names) == ("column", names)


def test_packed_substations_that_do_not_fit_the_buses_are_damaged_data() -> None:
    grid = replace(make_grid(), substations=Substations(np.array([0, 1]), "column"))
    with pytest.raises(StoredDataDamaged):
        unpack_grid(pack_grid(grid))


def test_equal_coordinates_are_one_substation() -> None:
    grid = place((8.00001, 50.0), (9.0, 50.0), (8.00002, 50.00001))
    substations = find_substations(grid)
    assert substations is not None
    assert substations.source == "coordinates"
    assert substations.groups.tolist() == [0, 1, 0]


def test_buses_without_coordinates_stand_alone() -> None:
    unknown = (np.nan, np.nan)
    grid = replace(
        make_grid(),
        bus_ids=tuple("abcdef"),
        features=np.full((6, 1), 110.0),
        coordinates=np.array([(8, 50), (8, 50), unknown, unknown, (9, 50), (0, 0)]),
        coordinate_system="geographic",
    )
    assert groups_of(grid) == [0, 0, 1, 2, 3, 4]


def test_coordinates_of_a_drawing_or_of_few_buses_do_not_count() -> None:
    drawn = replace(place((1, 1), (1, 1), (1, 1)), coordinate_system="schematic")
    sparse = place((8, 50), (np.nan, np.nan), (np.nan, np.nan))
    for grid in (drawn, sparse):
        substations = find_substations(grid)
        assert substations is not None
        assert substations.source == "transformers"


def test_distinct_coordinates_leave_the_word_to_transformers() -> None:
    assert groups_of(place((8, 50), (9, 50), (10, 50))) == [0, 1, 1]


def test_a_branch_between_unequal_voltages_is_a_transformer() -> None:
    grid = replace(make_grid(), kinds=np.array([0, 0]), kind_names=("line",))
    assert groups_of(grid) == [0, 1, 1]


def test_a_mark_that_every_branch_has_does_not_count() -> None:
    assert groups_of(replace(make_grid(), kinds=np.array([1, 1]))) == [0, 1, 1]


def test_without_places_and_transformers_substations_are_unknown() -> None:
    grid = replace(make_grid(), kinds=np.array([0, 0]), features=np.full((3, 1), 110.0))
    assert find_substations(grid) is None
    assert find_places(grid).groups is None
    described = msgspec.to_builtins(describe_substations(grid))
    assert described == {"count": 3, "largest": 1, "source": None}


def test_a_grid_without_branches_or_with_one_bus_has_no_substations() -> None:
    lone = replace(
        make_grid(),
        bus_ids=("a",),
        features=np.ones((1, 1)),
        coordinates=np.array([[8.0, 50.0]]),
        coordinate_system="geographic",
        ends=np.zeros((0, 2), dtype=np.int64),
        weights=np.zeros(0),
        kinds=np.zeros(0, dtype=np.int64),
    )
    assert find_substations(lone) is None


def test_given_substations_come_before_derived_ones() -> None:
    given = Substations(np.array([0, 0, 1]), "column", ("north", "south"))
    grid = replace(place((8, 50), (9, 50), (9, 50)), substations=given)
    assert complete_substations(grid).substations is given
    assert find_places(grid).groups is given.groups


def test_places_are_latitude_and_longitude_in_degrees() -> None:
    coordinates = find_places(place((8, 50), (9, 51), (10, 52))).coordinates
    assert coordinates is not None
    assert coordinates.tolist() == [[50, 8], [51, 9], [52, 10]]
    assert find_places(make_grid()).coordinates is None


def test_buses_are_grouped_by_name_and_nameless_ones_stand_alone() -> None:
    substations = group_names(["x", "", "y", "x", ""], "column")
    assert substations is not None
    assert substations.groups.tolist() == [0, 1, 2, 0, 3]
    assert substations.names == ("x", "", "y", "")
    assert [substations.find_name(bus) for bus in (0, 1)] == ["x", None]


def test_a_file_that_joins_no_buses_says_nothing_about_substations() -> None:
    assert group_names(["x", "y"], "file") is None
    assert group_names(["", ""], "column") is None
    column = group_names(["x", "y"], "column")
    assert column is not None
    assert column.count == 2
