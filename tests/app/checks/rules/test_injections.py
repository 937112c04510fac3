"""Each rule on demand and generation finds its defect."""

import pytest

from tests.app.checks.healthy import LOW, SITES, findings_of, make_healthy, set_bus


def test_a_demand_in_kw() -> None:
    damaged = set_bus(make_healthy(), "Pd", {LOW + 4: 5000.0})
    (finding,) = findings_of("injection-exceeds-branches", damaged)
    assert finding.buses == ["L4"]
    assert finding.numbers["mw"] == -5000.0
    # one transformer of 0.01 + 0.25j p.u. of 100 MVA
    assert finding.numbers["most_mw"] == pytest.approx(100 / 0.2502, rel=1e-3)


def test_a_generation_in_kw() -> None:
    damaged = set_bus(make_healthy(), "Pg", {20: 100_000.0})
    assert [one.buses for one in findings_of("injection-exceeds-branches", damaged)] == [["H20"]]
    (finding,) = findings_of("generation-exceeds-demand", damaged)
    assert finding.buses == ["H20", "H0"]
    assert finding.numbers["times"] == pytest.approx(100_100 / 200)


def test_a_grid_without_loads_is_not_out_of_balance() -> None:
    unloaded = set_bus(make_healthy(), "Pd", dict.fromkeys(range(LOW, LOW + SITES), 0.0))
    assert findings_of("generation-exceeds-demand", unloaded) == []
