from pathlib import Path

import pytest

from app.ingest.formats.matpower import reader as matpower
from tests.app.ingest.requests import SMALL_CASE, ask, ask_file, report_of


@pytest.mark.parametrize("name", ["case39", "case2383wp", "case_ACTIVSg200", "case_ACTIVSg2000"])
def test_the_voltages_of_solved_cases_solve_the_power_flow(
    matpower_folder: Path, name: str
) -> None:
    request = ask_file("matpower", matpower_folder / f"{name}.m", check="power_flow")
    check = report_of(matpower.read(request))["power_flow"]
    assert check["converged"]
    assert check["voltages_solve_it"]
    assert check["largest_mismatch_mva"] < 0.2


def test_flat_voltages_do_not_solve_the_power_flow(matpower_folder: Path) -> None:
    # Baran and Wu: the lowest voltage of the solved feeder is 0.9131 p.u. at bus 18.
    request = ask_file("matpower", matpower_folder / "case33bw.m", check="power_flow")
    check = report_of(matpower.read(request))["power_flow"]
    assert check["converged"]
    assert not check["voltages_solve_it"]
    assert check["largest_voltage_change_pu"] == pytest.approx(1 - 0.9131, abs=1e-3)


def test_the_check_is_made_only_on_request() -> None:
    assert report_of(matpower.read(ask("matpower", SMALL_CASE)))["power_flow"] is None


def test_the_report_says_that_a_file_has_no_slack() -> None:
    text = SMALL_CASE.replace("\t1\t3\t0", "\t1\t2\t0", 1)
    check = report_of(matpower.read(ask("matpower", text, check="power_flow")))["power_flow"]
    assert (check["done"], check["reason"]) == (False, "the file names no slack bus")
