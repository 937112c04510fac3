"""Each rule on areas and zones finds its defect."""

from dataclasses import replace

from app.checks.checked_grid import CheckedGrid
from app.grid.grid import TextColumn
from tests.app.checks.healthy import (
    LOW,
    findings_of,
    make_healthy,
    remove_branches,
    set_label,
)


def test_a_zone_that_falls_into_pieces() -> None:
    damaged = set_label(make_healthy(), "zone", {5: 1, LOW + 5: 1})
    cut, stray = findings_of("region-in-pieces", damaged)
    assert set(cut.buses) == {f"{level}{site}" for level in "HL" for site in range(5)}
    assert stray.buses == ["H5", "L5"]
    assert stray.message == "zone south: a piece of 2 lies apart from the largest of 40"


def test_of_two_equal_pieces_one_is_listed() -> None:
    halves = set_label(make_healthy(), "zone", dict.fromkeys([*range(5, 15), *range(45, 55)], 1))
    cut = findings_of("region-in-pieces", halves)
    assert [one.numbers["region"] for one in cut] == ["south", "north"]
    assert [one.element_count for one in cut] == [20, 10]


def test_a_zone_on_two_islands_is_whole_on_each() -> None:
    """Without these four lines the buses H5 to H9 and H30 to H34 are islands."""
    islands = remove_branches(make_healthy(), 4, 9, 29, 34)
    # the rest of each zone is in two pieces of the ring, apart in the grid as well
    assert findings_of("region-in-pieces", islands) == []


def test_a_bus_unlike_all_its_neighbours() -> None:
    damaged = set_label(make_healthy(), "zone", {5: 1})
    (finding,) = findings_of("region-unlike-neighbours", damaged)
    assert finding.message == "bus H5 is of zone south, all its neighbours of north"
    assert finding.numbers == {"kind": "zone", "region": "south", "neighbours": "north"}


def test_a_bus_with_one_neighbour_is_not_called_unlike() -> None:
    assert findings_of("region-unlike-neighbours", set_label(make_healthy(), "zone", {45: 1})) == []


def test_unknown_regions_are_not_compared() -> None:
    unknown = set_label(make_healthy(), "zone", {5: -1, 6: -1, LOW + 6: -1})
    assert findings_of("region-unlike-neighbours", unknown) == []
    assert findings_of("region-in-pieces", unknown) == []


def test_every_kind_of_region_is_examined() -> None:
    damaged = set_label(make_healthy(), "zone", {5: 1})
    (zone,) = (one for one in damaged.label_sets if one.name == "zone")
    both = replace(damaged, label_sets=(*damaged.label_sets, replace(zone, name="country")))
    kinds = [one.numbers["kind"] for one in findings_of("region-unlike-neighbours", both)]
    assert kinds == ["zone", "country"]


def _move_to_text(checked: CheckedGrid, name: str, values: tuple[str, ...]) -> CheckedGrid:
    """Give the zones as a text column instead of a label set."""
    zones = checked.find_labels("zone")
    assert zones is not None
    others = [one for one in checked.label_sets if one is not zones]
    grid = replace(checked.grid, text_columns={name: TextColumn(values, zones.classes)})
    return CheckedGrid(grid, others)


def test_regions_are_read_from_text_columns_too() -> None:
    damaged = set_label(make_healthy(), "zone", {5: 1})
    stated = _move_to_text(damaged, "Country", ("DE", "FR"))
    (finding,) = findings_of("region-unlike-neighbours", stated)
    assert finding.message == "bus H5 is of country FR, all its neighbours of DE"
    assert _move_to_text(damaged, "owner", ("a", "b")).region_sets == ()


def test_a_text_column_is_not_checked_twice_and_its_case_does_not_matter() -> None:
    damaged = set_label(make_healthy(), "zone", {5: 1})
    assert (
        findings_of("region-unlike-neighbours", _move_to_text(damaged, "zone", ("de", "DE"))) == []
    )
    zones = damaged.find_labels("zone")
    assert zones is not None
    texts = {"Zone": TextColumn(("north", "south"), zones.classes)}
    both = CheckedGrid(replace(damaged.grid, text_columns=texts), damaged.label_sets)
    assert len(findings_of("region-unlike-neighbours", both)) == 1
