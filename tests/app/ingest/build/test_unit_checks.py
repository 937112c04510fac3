"""Warnings about units: for files in kW, and not for grids with large loads."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.ingest.build.flow_check import check_power_flow
from app.ingest.build.unit_checks import check_units
from app.ingest.formats.matpower.tables import to_power_tables
from app.ingest.formats.matpower.text import parse_text
from app.power.tables import PowerTables

_CONVERSION = re.compile(rb"(?m)^mpc\.bus\(.*1e3.*$")
_KILOWATTS = ("case33bw", "case12da", "case51he", "case69", "case118zh", "case141", "case16ci")


def _warn(content: bytes) -> list[str]:
    return [text for text in check_units(to_power_tables(parse_text(content))) if "kW" in text]


@pytest.mark.parametrize("name", ["case145", "case13659pegase", "case59", "case300"])
def test_a_large_load_of_a_reduced_grid_is_no_alarm(matpower_folder: Path, name: str) -> None:
    # case145: 57 GW at one bus, case13659pegase: 52 MW per kV
    assert _warn((matpower_folder / f"{name}.m").read_bytes()) == []


@pytest.mark.parametrize("name", _KILOWATTS)
def test_a_file_in_kilowatts_is_warned_of(matpower_folder: Path, name: str) -> None:
    """These cases have loads in kW and a statement that converts them, which is left out here."""
    content = (matpower_folder / f"{name}.m").read_bytes()
    assert _warn(content) == []
    in_kilowatts, count = _CONVERSION.subn(b"", content)
    assert count
    assert len(_warn(in_kilowatts)) == 1


def test_loads_and_generators_in_kilowatts_are_warned_of(matpower_folder: Path) -> None:
    """Without a capacity at the slack bus, the voltages of the loads decide."""
    case = parse_text(_CONVERSION.sub(b"", (matpower_folder / "case33bw.m").read_bytes()))
    case.gen[:, 8] = 0
    assert "large for the voltage" in next(check_units(to_power_tables(case)))


@pytest.mark.parametrize(
    ("name", "warned"), [("case89pegase", True), ("case2383wp", False), ("case1888rte", False)]
)
def test_phase_shifts_in_radians_are_warned_of(
    matpower_folder: Path, name: str, warned: bool
) -> None:
    tables = to_power_tables(parse_text((matpower_folder / f"{name}.m").read_bytes()))
    assert any("radians" in text for text in check_units(tables)) == warned


def test_phase_shifts_of_pegase_are_radians_of_the_other_sign(matpower_folder: Path) -> None:
    """The voltages of the file solve its power flow only with the shifts read in this way."""
    tables = to_power_tables(parse_text((matpower_folder / "case89pegase.m").read_bytes()))
    assert _measure_mismatch(tables) > 3000
    turned = replace(tables.branches, shift=-np.rad2deg(tables.branches.shift))
    assert _measure_mismatch(replace(tables, branches=turned)) < 0.5


def _measure_mismatch(tables: PowerTables) -> float:
    check = check_power_flow(tables, tables.branches.in_service)
    assert isinstance(check.largest_mismatch_mva, float)
    return check.largest_mismatch_mva
