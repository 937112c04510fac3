"""Files that no library wrote: what they must mean follows from the definitions of the formats.

hand_made.raw is PSS/E revision 33: two islands; a tapped and shifting transformer, one of three
windings whose impedances are on its own 50 MVA (CZ = 2); a load, a line, a generator and a bus
that are off.
"""

import io
import re
import zipfile
from pathlib import Path

import pytest

from app.grid.grid import Grid
from app.grid.listing import Listing
from app.grid.report import ReadGrid
from app.ingest.formats import find_format
from app.ingest.formats.powerio import cgmes, psse
from tests.app.ingest.formats.powerio.hand_made_cgmes import NODES, make_archive, mrid
from tests.app.ingest.requests import ask, report_of

RAW = (Path(__file__).parent / "hand_made.raw").read_text()


@pytest.fixture(scope="module")
def raw() -> ReadGrid:
    return psse.read(ask("psse", RAW, check="power_flow"))


@pytest.fixture(scope="module")
def model() -> ReadGrid:
    return cgmes.read(ask("cgmes", make_archive()))


def _column(grid: Grid, name: str) -> list[float]:
    column = grid.find_column(name)
    assert column is not None
    return list(column.tolist())


def _branches(grid: Grid) -> dict[tuple[str, str, str], list[float]]:
    """Return r, x, b, rating, tap and shift by kind and ends; the later of parallel ones."""
    return {
        (grid.kind_names[kind], grid.bus_ids[a], grid.bus_ids[b]): row.tolist()
        for kind, (a, b), row in zip(grid.kinds, grid.ends, grid.branch_columns.values, strict=True)
    }


def _recognise(content: bytes) -> str | None:
    form = find_format(content)
    return None if form is None else form.name


def test_both_are_recognised_by_their_content() -> None:
    assert _recognise(RAW.encode()) == "psse"
    assert _recognise(make_archive()) == "cgmes"


def test_raw_buses_keep_number_name_area_zone_and_type(raw: ReadGrid) -> None:
    assert raw.grid.bus_ids == ("1", "2", "3", "4", "10", "11", "99")
    assert raw.grid.find_buses("ISLE A") == [4]
    labels = {label_set.name: label_set for label_set in raw.label_sets}
    assert labels["area"].classes.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert labels["zone"].classes.tolist() == [0, 1, 1, 1, 2, 2, 2]
    types = [labels["bus_type"].class_names[code] for code in labels["bus_type"].classes]
    assert types == ["slack", "PQ", "PV", "PQ", "slack", "PQ", "isolated"]
    assert _column(raw.grid, "Va") == [0, -3, -5, -5, 0, -1, 0]


def test_raw_loads_shunts_and_generators_count_if_in_service(raw: ReadGrid) -> None:
    assert _column(raw.grid, "Pd") == [0, 80, 0, 0, 0, 10, 0]
    assert _column(raw.grid, "Gs") == [0, 0, 0.5, 0, 0, 0, 0]
    assert _column(raw.grid, "Bs") == [0, 0, 25 + 15, 0, 0, 0, 0]  # fixed and switched
    assert _column(raw.grid, "Pg") == [70, 0, 20, 0, 10, 0, 0]
    assert _column(raw.grid, "generators_in_service") == [1, 0, 1, 0, 1, 0, 0]
    roles = next(label_set for label_set in raw.label_sets if label_set.name == "role")
    assert roles.classes.tolist() == [2, 1, 2, 2, 2, 1, 0]  # that at bus 4 is off, but there


def test_raw_branches_are_per_unit_of_the_system(raw: ReadGrid) -> None:
    assert _branches(raw.grid) == {
        ("line", "1", "2"): pytest.approx([0.02, 0.2, 0.02, 150, 1, 0]),
        ("line", "10", "11"): pytest.approx([0.05, 0.3, 0, 50, 1, 0]),
        ("transformer", "2", "3"): pytest.approx([0.002, 0.05, 0, 200, 1.025, 5]),
        # 0.08 and 0.12 p.u. of 50 MVA are 0.16 and 0.24 of 100; the tertiary turns back by 30.
        ("transformer", "1", "3"): pytest.approx([0.002, 0.16, 0, 80, 1, 0]),
        ("transformer", "1", "4"): pytest.approx([0.003, 0.24, 0, 20, 1, -30]),
    }
    assert raw.report.parallel_branches.count == 1
    assert raw.report.dropped.out_of_service_branches == 1


def test_raw_islands_are_found_and_the_power_flow_runs(raw: ReadGrid) -> None:
    assert raw.report.islands == 3
    assert raw.report.isolated_buses == Listing(1, ["99"])
    assert report_of(raw)["power_flow"]["converged"]


def test_cgmes_buses_are_mrids_with_names(model: ReadGrid) -> None:
    assert model.grid.bus_ids == tuple(mrid(f"node {node}") for node in NODES)
    assert model.grid.find_buses("Node D") == [3]
    assert _column(model.grid, "base_kv") == list(NODES.values())
    assert _column(model.grid, "Va") == [0, -1, -2, -3, -4]


def test_cgmes_loads_and_generators_count_if_connected(
    model: ReadGrid,
) -> None:
    assert _column(model.grid, "Pd") == [0, 80, 0, 0, 10]
    assert _column(model.grid, "Qd") == [0, 30, 0, 0, 2]
    assert _column(model.grid, "Pg") == [70, 0, 0, 10, 0]
    assert _column(model.grid, "generators") == [1, 0, 1, 1, 0]


def test_cgmes_branches_are_per_unit_and_open_ones_are_dropped(model: ReadGrid) -> None:
    node = [mrid(f"node {name}") for name in "ABCDE"]
    columns = {ends: row[:3] + row[4:] for ends, row in _branches(model.grid).items()}
    assert columns == {
        ("line", node[0], node[1]): pytest.approx([0.01, 0.1, 0.04, 1, 0]),
        ("line", node[3], node[4]): pytest.approx([0.05, 0.3, 0, 1, 0]),
        ("transformer", node[1], node[2]): pytest.approx([0.002, 0.05, 0, 1.025, 0]),
    }
    assert model.report.dropped.out_of_service_branches == 1
    assert model.report.islands == 2


def test_a_line_between_unequal_voltages_is_a_line_as_the_file_says() -> None:
    """Bus 2 at 230 instead of 220 kV: its line to bus 1 stays in the section of the branches."""
    kinds = psse.read(ask("psse", _set_voltage(RAW, "2", "230.0"))).report.branch_kinds
    assert kinds == psse.read(ask("psse", RAW)).report.branch_kinds
    assert (kinds["line"], kinds["transformer"]) == (3, 3)


def test_a_transformer_without_tap_is_a_transformer_as_the_file_says() -> None:
    content = _edit(make_archive(), r"<cim:RatioTapChanger .*?</cim:RatioTapChanger>")
    read = cgmes.read(ask("cgmes", content))
    assert read.report.branch_kinds["transformer"] == 1
    assert read.report.branch_kinds["line"] == 2


def _set_voltage(raw: str, bus: str, voltage: str) -> str:
    rows = [row.split(",") for row in raw.split("\n")]
    row = next(row for row in rows[3:] if row[0].strip() == bus)
    row[2] = voltage
    return "\n".join(",".join(row) for row in rows)


def _edit(archive: bytes, pattern: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(stream, "w") as made:
        for name in whole.namelist():
            made.writestr(name, re.sub(pattern, "", whole.read(name).decode(), flags=re.DOTALL))
    return stream.getvalue()
