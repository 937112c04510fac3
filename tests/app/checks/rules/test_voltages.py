"""Each rule on voltages finds its defect."""

import numpy as np
import pytest

from tests.app.checks.healthy import (
    LOW,
    TRANSFORMERS,
    buses_of,
    change_grid,
    copy_branch,
    findings_of,
    make_healthy,
    remove_branches,
    rows_of,
    set_branch,
    set_bus,
    set_kind,
)


def test_a_line_between_different_voltages() -> None:
    damaged = set_kind(make_healthy(), TRANSFORMERS[3], "line")
    (finding,) = findings_of("line-between-voltages", damaged)
    assert rows_of([finding]) == [[TRANSFORMERS[3]]]
    assert finding.message == "line H3 - L3 joins 20 kV and 110 kV"
    assert finding.numbers == {"low_kv": 20.0, "high_kv": 110.0}


def test_nominal_voltages_of_one_level_may_differ() -> None:
    alike = set_bus(make_healthy(), "base_kv", {3: 115.0})
    assert findings_of("line-between-voltages", alike) == []


def test_a_transformer_between_equal_voltages() -> None:
    damaged = set_bus(make_healthy(), "base_kv", {LOW + 3: 110.0})
    assert rows_of(findings_of("transformer-between-equal-voltages", damaged)) == [
        [TRANSFORMERS[3]]
    ]


@pytest.mark.parametrize(("column", "value"), [("tap", 1.05), ("shift", 30.0)])
def test_a_regulator_or_phase_shifter_between_equal_voltages_is_sound(
    column: str, value: float
) -> None:
    sound = set_bus(make_healthy(), "base_kv", {LOW + 3: 110.0})
    sound = set_branch(sound, column, {TRANSFORMERS[3]: value})
    assert findings_of("transformer-between-equal-voltages", sound) == []


def test_a_voltage_that_no_path_explains() -> None:
    damaged = set_bus(remove_branches(make_healthy(), TRANSFORMERS[7]), "base_kv", {7: 220.0})
    (finding,) = findings_of("voltage-unexplained", damaged)
    assert finding.message == "bus H7 has 220 kV, all its neighbours 110 kV"


def test_a_voltage_behind_a_transformer_is_explained() -> None:
    sound = set_bus(make_healthy(), "base_kv", {7: 220.0})
    assert findings_of("voltage-unexplained", sound) == []


def test_of_two_buses_with_one_line_neither_is_the_odd_one() -> None:
    apart = remove_branches(make_healthy(), 5, 6, 7, TRANSFORMERS[6], TRANSFORMERS[7])
    pair = set_bus(copy_branch(apart, 0, (6, 7)), "base_kv", {7: 220.0})
    assert findings_of("voltage-unexplained", pair) == []


def test_buses_without_a_base_voltage() -> None:
    damaged = set_bus(make_healthy(), "base_kv", {1: 0.0, 2: -1.0})
    (finding,) = findings_of("voltage-missing", damaged)
    assert finding.message == "2 of 80 buses have no base voltage"
    assert finding.buses == ["H1", "H2"]


def test_a_tap_ratio_that_is_the_ratio_of_the_voltages() -> None:
    damaged = set_branch(make_healthy(), "tap", {TRANSFORMERS[0]: 5.5})
    assert rows_of(findings_of("tap-implausible", damaged)) == [[TRANSFORMERS[0]]]


def test_a_voltage_in_kv_instead_of_per_unit() -> None:
    damaged = set_bus(make_healthy(), "Vm", {4: 110.0, 5: 0.2})
    assert buses_of(findings_of("voltage-magnitude", damaged)) == [["H4"], ["H5"]]


def test_a_case_in_which_every_branch_is_a_transformer_has_no_equal_ones() -> None:
    alike = set_bus(make_healthy(), "base_kv", {LOW + 3: 110.0})
    alike = change_grid(alike, kinds=np.ones_like(alike.grid.kinds))
    assert findings_of("transformer-between-equal-voltages", alike) == []
