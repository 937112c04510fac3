"""Transformer types: data follow from the name plate, as in PyPSA."""

import math
from typing import Any

import pytest

from app.ingest.formats.pypsa import network
from tests.app.ingest.archives import PYPSA, make_zip
from tests.app.ingest.requests import ask, report_of


def _read(row: str, types: str = "") -> tuple[dict[str, float], dict[str, Any]]:
    """Return the columns of the transformer, and the import report."""
    header = "name,bus0,bus1,type,x,s_nom,num_parallel,tap_position\n"
    files = PYPSA | {"net/transformers.csv": header + row}
    if types:
        files |= {"net/transformer_types.csv": types}
    read = network.read(ask("pypsa", make_zip(files)))
    columns = read.grid.branch_columns
    kinds = [read.grid.kind_names[kind] for kind in read.grid.kinds]
    values = columns.values[kinds.index("transformer")].tolist()
    return dict(zip(columns.names, values, strict=True)), report_of(read)


def test_a_type_that_pypsa_knows_by_name() -> None:
    # 160 MVA, 12.2 % short-circuit voltage of which 0.25 % resistive, 60 kW, 0.06 % no-load current
    branch, _ = _read("t,B,C,160 MVA 380/110 kV,0,0,2,2\n")
    assert branch["rating"] == 160
    assert branch["r"] == pytest.approx(0.0025 / 2 * 100 / 160)
    assert branch["x"] == pytest.approx(math.sqrt(0.122**2 - 0.0025**2) / 2 * 100 / 160)
    charging = -math.sqrt(0.0006**2 - (0.06 / 160) ** 2) * 2 * 160 / 100
    assert branch["b"] == pytest.approx(charging)
    assert branch["tap"] == pytest.approx(1.03)  # two steps of 1.5 %
    assert branch["shift"] == 0


def test_a_type_of_the_file_with_its_taps_at_the_second_side() -> None:
    types = (
        "name,s_nom,vsc,vscr,pfe,i0,phase_shift,tap_side,tap_neutral,tap_step\n"
        "mine,50,10,0,0,0,30,1,1,2\n"
    )
    branch, report = _read("t,B,C,mine,0,0,1,2\n", types)
    assert branch["x"] == pytest.approx(0.1 * 100 / 50)
    assert branch["tap"] == pytest.approx(1 / 1.02)
    assert branch["shift"] == 30
    assert report["tables_not_read"] == {"stores": 1}


def test_an_unknown_type_is_reported_and_the_own_data_are_used() -> None:
    branch, report = _read("t,B,C,odd,0.1,200,1,0\n")
    assert branch["x"] == pytest.approx(0.1 * 100 / 200)
    assert any(note.startswith("1 transformer(s) have a type") for note in report["notes"])


def test_a_transformer_without_a_type_is_read_as_before() -> None:
    branch, report = _read("t,B,C,,0.1,200,1,0\n")
    assert branch["x"] == pytest.approx(0.05)
    assert not any("transformer(s) have a type" in note for note in report["notes"])
