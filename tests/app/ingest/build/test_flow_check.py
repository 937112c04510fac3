from pathlib import Path

import pytest

from app.ingest.formats.matpower import reader as matpower
from tests.app.ingest.requests import SMALL_CASE, ask, ask_file


@pytest.mark.parametrize("name", ["case39", "case2383wp", "case_ACTIVSg200", "case_ACTIVSg2000"])
def test_solved_cases_are_found_solved(matpower_folder: Path, name: str) -> None:
    request = ask_file("matpower", matpower_folder / f"{name}.m", check="power_flow")
    told = matpower.read(request).report["power_flow"]
    assert told["converged"]
    assert told["voltages_solve_it"]
    assert told["largest_mismatch_mva"] < 0.2


def test_a_case_with_flat_voltages_is_found_unsolved(matpower_folder: Path) -> None:
    # Baran and Wu: the lowest voltage of the solved feeder is 0.9131 p.u. at bus 18.
    request = ask_file("matpower", matpower_folder / "case33bw.m", check="power_flow")
    told = matpower.read(request).report["power_flow"]
    assert told["converged"]
    assert not told["voltages_solve_it"]
    assert told["largest_voltage_change_pu"] == pytest.approx(1 - 0.9131, abs=1e-3)


def test_the_check_is_only_made_when_asked_for() -> None:
    assert "power_flow" not in matpower.read(ask("matpower", SMALL_CASE)).report


def test_a_file_without_a_slack_is_told() -> None:
    text = SMALL_CASE.replace("\t1\t3\t0", "\t1\t2\t0", 1)
    told = matpower.read(ask("matpower", text, check="power_flow")).report["power_flow"]
    assert told == {"done": False, "reason": "the file names no slack bus"}
