"""Each rule on impedances finds its defect."""

import pytest

from app.checks.checked_grid import CheckedGrid
from tests.app.checks.healthy import (
    LINES,
    TRANSFORMERS,
    copy_branch,
    findings_of,
    make_healthy,
    rows_of,
    set_branch,
    set_kind,
)


def test_a_line_without_impedance() -> None:
    damaged = set_branch(set_branch(make_healthy(), "x", {3: 0.0}), "r", {3: 0.0})
    assert rows_of(findings_of("impedance-zero", damaged)) == [[3]]


def test_a_coupler_without_impedance_is_sound() -> None:
    sound = set_branch(set_branch(make_healthy(), "x", {3: 0.0}), "r", {3: 0.0})
    assert findings_of("impedance-zero", set_kind(sound, 3, "switch")) == []


def test_a_line_with_negative_resistance() -> None:
    damaged = set_branch(make_healthy(), "r", {3: -0.01, 4: -0.05})
    assert rows_of(findings_of("resistance-negative", damaged)) == [[4], [3]]
    assert findings_of("reduced-network", damaged) == []


def test_a_reduced_network_is_one_finding_instead_of_many() -> None:
    reduced = set_branch(make_healthy(), "r", dict.fromkeys(range(35), -0.01))
    assert findings_of("resistance-negative", reduced) == []
    (finding,) = findings_of("reduced-network", reduced)
    assert finding.message == "35 of 40 lines have a negative resistance"


def test_a_line_with_negative_reactance() -> None:
    damaged = set_branch(make_healthy(), "x", {3: -0.05})
    assert rows_of(findings_of("reactance-negative", damaged)) == [[3]]


@pytest.mark.parametrize("column", ["r", "x"])
def test_a_transformer_with_a_negative_branch(column: str) -> None:
    damaged = set_branch(make_healthy(), column, {TRANSFORMERS[2]: -0.05})
    assert rows_of(findings_of("transformer-impedance-negative", damaged)) == [[TRANSFORMERS[2]]]
    assert findings_of("resistance-negative", damaged) == []
    assert findings_of("reactance-negative", damaged) == []


@pytest.mark.parametrize("factor", [100.0, 0.01])
def test_a_reactance_that_does_not_suit_the_length(factor: float) -> None:
    healthy = make_healthy()
    damaged = set_branch(healthy, "x", {3: factor * float(healthy.branch("x")[3])})
    (finding,) = findings_of("impedance-for-length", damaged)
    assert rows_of([finding]) == [[3]]
    assert finding.numbers["ohm_per_km"] == pytest.approx(0.4 * factor, rel=0.01)
    assert finding.numbers["km"] == pytest.approx(20.0, rel=0.01)


def test_a_charging_in_siemens_instead_of_per_unit() -> None:
    """The surge impedance of the healthy line is sqrt(0.4 / 2.8e-6) = 378 ohm."""
    healthy = make_healthy()
    damaged = set_branch(healthy, "b", {3: float(healthy.branch("b")[3]) / 121})
    (finding,) = findings_of("surge-impedance", damaged)
    assert finding.numbers["ohm"] == pytest.approx(378 * 11, rel=0.01)


def test_resistance_and_reactance_exchanged() -> None:
    damaged = set_branch(set_branch(make_healthy(), "x", {3: 0.001}), "r", {3: 0.06})
    assert rows_of(findings_of("resistance-above-reactance", damaged)) == [[3]]


def test_a_reactance_far_above_its_voltage_level() -> None:
    twice = _double_lines()
    damaged = set_branch(twice, "x", {3: 300 * float(twice.branch("x")[3])})
    (finding,) = findings_of("impedance-outlier", damaged)
    assert rows_of([finding]) == [[3]]
    assert finding.numbers["times"] == pytest.approx(300)


def test_many_high_reactances_are_equivalents_and_no_outliers() -> None:
    twice = _double_lines()
    many = {row: 300 * float(twice.branch("x")[0]) for row in range(5)}
    assert findings_of("impedance-outlier", set_branch(twice, "x", many)) == []


def _double_lines() -> CheckedGrid:
    """Return the grid with every line twice."""
    doubled = make_healthy()
    for row in LINES:
        source, target = doubled.grid.ends[row].tolist()
        doubled = copy_branch(doubled, row, (source, target))
    return doubled
