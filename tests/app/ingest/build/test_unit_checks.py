"""Warnings about units: for files in kW, and not for grids with large loads."""

import re
from pathlib import Path

import pytest

from app.ingest.build.unit_checks import check_units
from app.ingest.formats.matpower.tables import to_power_tables
from app.ingest.formats.matpower.text import parse_text

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
