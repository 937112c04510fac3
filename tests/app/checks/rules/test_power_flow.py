"""The rule on the power flow finds voltages that do not solve it."""

import numpy as np
import pytest

from app.power.case import make_case_of_grid
from app.power.flow import measure_mismatch
from tests.app.checks.healthy import (
    LOW,
    copy_branch,
    findings_of,
    make_healthy,
    set_branch,
    set_bus,
    set_kind,
)


def test_a_wrong_voltage_is_found_with_the_largest_mismatch_first() -> None:
    damaged = set_bus(make_healthy(), "Va", {LOW + 9: 20.0})
    (finding,) = findings_of("power-flow-mismatch", damaged)
    assert set(finding.buses) == {"H9", "L9"}
    case, voltages = make_case_of_grid(damaged.grid, damaged.label_sets[0].classes)
    mismatch = 100 * np.abs(measure_mismatch(case, voltages))
    assert finding.numbers["largest_mva"] == pytest.approx(mismatch.max(), rel=1e-5)
    assert finding.message.startswith("2 buses miss more than 5 MVA; worst: ")


def test_rounded_voltages_are_sound_even_beside_a_small_impedance() -> None:
    healthy = make_healthy()
    tie = set_branch(copy_branch(healthy, 0, (3, 4)), "x", {80: 1e-3})
    angles = healthy.bus("Va").copy()
    tie = set_bus(tie, "Va", {4: float(angles[3]) + 0.005})
    tie = set_bus(tie, "Vm", {4: float(healthy.bus("Vm")[3])})
    healthy_at_3 = findings_of("power-flow-mismatch", tie)
    assert all("H3" not in one.buses[:1] for one in healthy_at_3)


def test_a_direct_current_link_is_left_out() -> None:
    linked = copy_branch(make_healthy(), 0, (3, 9))
    linked = set_branch(set_branch(linked, "x", {80: 0.0}), "r", {80: 0.0})
    assert findings_of("power-flow-mismatch", set_kind(linked, 80, "link")) == []
