"""Every rule: silent on a healthy grid, described, able to run on any grid."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks.checked_grid import CheckedGrid
from app.checks.registry import RULES, SEVERITIES, check_grid
from app.errors import Rejected
from app.grid.grid import Columns, Grid, LabelSet, Substations
from app.power.tables import BUS_TYPES, KIND_NAMES
from tests.app.checks.healthy import SITES, change_grid, findings_of, make_healthy, set_branch
from tests.app.grid.small_grids import make_grid


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_finds_nothing_on_a_healthy_grid(rule: str) -> None:
    assert findings_of(rule, make_healthy()) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_a_rule_gives_a_reason_and_advice(rule: Any) -> None:
    assert rule.severity in SEVERITIES
    for text in (rule.why, rule.fix):
        assert text[0].isupper()
        assert text.endswith(".")
    assert not rule.title.endswith(".")


def test_errors_come_before_warnings_and_notes() -> None:
    damaged = set_branch(make_healthy(), "rating", {0: 0.0})
    damaged = set_branch(damaged, "r", {1: -0.01})
    features = damaged.grid.features.copy()
    features[0, 4] = 20.0
    report = check_grid(change_grid(damaged, features=features))
    severities = [result.severity for result in report.results]
    assert severities == sorted(severities, key=SEVERITIES.index)
    assert set(severities) == set(SEVERITIES)
    for severity, count in (
        ("error", report.errors),
        ("warning", report.warnings),
        ("note", report.notes),
    ):
        assert count == sum(one.count for one in report.results if one.severity == severity)


def test_the_listing_is_capped_and_the_total_stated() -> None:
    damaged = set_branch(make_healthy(), "x", dict.fromkeys(range(30), 0.0))
    damaged = set_branch(damaged, "r", dict.fromkeys(range(30), 0.0))
    (result,) = (one for one in check_grid(damaged, most=7).results if one.rule == "impedance-zero")
    assert (result.count, len(result.findings)) == (30, 7)


def test_the_elements_of_a_finding_are_capped_and_counted() -> None:
    damaged = set_branch(make_healthy(), "rating", dict.fromkeys(range(30), 0.0))
    (finding,) = findings_of("rating-missing", damaged)
    assert (finding.element_count, len(finding.branches)) == (30, 20)


def test_a_rule_is_switched_off_by_name() -> None:
    damaged = set_branch(make_healthy(), "rating", {0: 0.0})
    assert check_grid(damaged).notes == 1
    report = check_grid(damaged, without=["rating-missing"])
    assert (report.notes, report.without) == (0, ["rating-missing"])


def test_unknown_rules_are_all_named_with_the_valid_ones() -> None:
    with pytest.raises(Rejected) as caught:
        check_grid(make_healthy(), without=["rating-mising", "x" * 500, "rating-missing"])
    first, second = caught.value.faults
    assert "did you mean 'rating-missing'" in first.problem
    assert len(second.problem) < 100
    assert all(name in str(caught.value) for name in RULES)


def test_rules_that_lack_data_are_listed_with_the_reason() -> None:
    report = check_grid(CheckedGrid(make_grid()))
    reasons = {one.rule: one.reason for one in report.skipped}
    assert reasons["impedance-for-length"] == "the grid lacks x, geographic coordinates"
    assert reasons["region-in-pieces"].startswith("the grid lacks a label set or text column")
    assert "line-between-voltages" not in reasons


def test_a_topology_without_kinds_has_no_wrong_lines() -> None:
    """A body without `kind` calls every branch a line: that says nothing about transformers."""
    grid = change_grid(CheckedGrid(make_grid()), kinds=np.zeros(2, int), kind_names=("line",))
    assert "line-between-voltages" in {one.rule for one in check_grid(grid).skipped}


_NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, -1.0])


@st.composite
def any_grid(draw: st.DrawFn) -> CheckedGrid:
    """Return a small grid with all columns and absurd numbers in them."""
    buses = draw(st.integers(1, 6))
    pairs = st.tuples(st.integers(0, buses - 1), st.integers(0, buses - 1))
    ends = draw(st.lists(pairs.filter(lambda pair: pair[0] != pair[1]), max_size=8))

    def table(rows: int, columns: int) -> Any:
        size = rows * columns
        cells = draw(st.lists(_NUMBERS, min_size=size, max_size=size))
        return np.array(cells, dtype=np.float64).reshape(rows, columns)

    def codes(rows: int, low: int, high: int) -> Any:
        cells = draw(st.lists(st.integers(low, high), min_size=rows, max_size=rows))
        return np.array(cells, dtype=np.int64)

    healthy = make_healthy().grid
    grid = Grid(
        name="any",
        source="test",
        bus_ids=tuple(map(str, range(buses))),
        aliases={"name": tuple(draw(st.sampled_from(["", "a", "{x}"])) for _ in range(buses))},
        coordinates=table(buses, 2),
        coordinate_system="geographic",
        feature_names=healthy.feature_names,
        feature_units=healthy.feature_units,
        features=table(buses, len(healthy.feature_names)),
        ends=np.array(ends, dtype=np.int64).reshape(-1, 2),
        weights=np.ones(len(ends)),
        kinds=codes(len(ends), 0, len(KIND_NAMES) - 1),
        kind_names=KIND_NAMES,
        bus_columns=Columns(
            healthy.bus_columns.names,
            healthy.bus_columns.units,
            table(buses, len(healthy.bus_columns.names)),
        ),
        branch_columns=Columns(
            healthy.branch_columns.names,
            healthy.branch_columns.units,
            table(len(ends), len(healthy.branch_columns.names)),
        ),
        substations=Substations(np.zeros(buses, dtype=np.int64), "file", ("{name}",)),
    )
    types = LabelSet("bus_type", BUS_TYPES, codes(buses, -1, 3), "test")
    zones = LabelSet("zone", ("a", "b"), codes(buses, -1, 1), "test")
    return CheckedGrid(grid, (types, zones))


@given(any_grid())
def test_every_rule_runs_on_any_numbers(checked: CheckedGrid) -> None:
    report = check_grid(checked)
    assert report.skipped == []
    for result in report.results:
        assert 0 < len(result.findings) <= result.count
        for finding in result.findings:
            assert finding.element_count > 0
            assert all(
                isinstance(number, str | None) or np.isfinite(number)
                for number in finding.numbers.values()
            )


def test_the_healthy_grid_has_what_every_rule_needs() -> None:
    assert check_grid(make_healthy()).skipped == []
    assert make_healthy().grid.bus_count == 2 * SITES
