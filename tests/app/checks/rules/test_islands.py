"""Each rule on islands finds its defect."""

from app.checks.checked_grid import CheckedGrid
from tests.app.checks.healthy import (
    LOW,
    TRANSFORMERS,
    buses_of,
    copy_branch,
    findings_of,
    make_healthy,
    remove_branches,
    set_bus,
    set_kind,
    set_label,
)


def _cut_off_site() -> CheckedGrid:
    """Return the grid with both lines of substation 7 removed."""
    return remove_branches(make_healthy(), 6, 7)


def test_an_island_with_demand_and_without_a_source() -> None:
    (finding,) = findings_of("island-without-source", _cut_off_site())
    assert finding.buses == ["H7", "L7"]
    assert finding.message == "an island of 2 buses draws 5 MW and has no generator"
    assert findings_of("island-unused", _cut_off_site()) == []


def test_an_island_with_a_generator_is_fed() -> None:
    fed = set_bus(_cut_off_site(), "generators_in_service", {7: 1.0})
    assert findings_of("island-without-source", fed) == []


def test_an_island_without_demand_is_unused() -> None:
    unused = set_bus(_cut_off_site(), "Pd", {LOW + 7: 0.0})
    assert findings_of("island-without-source", unused) == []
    assert buses_of(findings_of("island-unused", unused)) == [["H7", "L7"]]


def test_a_direct_current_link_feeds_what_it_joins() -> None:
    linked = copy_branch(make_healthy(), 0, (6, 7))
    linked = set_kind(linked, linked.grid.branch_count - 1, "link")
    assert findings_of("island-without-source", remove_branches(linked, 6, 7)) == []


def test_a_bus_without_branches() -> None:
    damaged = remove_branches(make_healthy(), TRANSFORMERS[7])
    (finding,) = findings_of("isolated-bus", damaged)
    assert (finding.buses, finding.message) == (["L7"], "bus L7 has no branch")
    assert finding.numbers == {"demand": 5.0, "generation": 0.0}


def test_a_bus_that_the_file_calls_isolated_is_not_listed() -> None:
    called = set_label(remove_branches(make_healthy(), TRANSFORMERS[7]), "bus_type", {LOW + 7: 3})
    assert findings_of("isolated-bus", called) == []
