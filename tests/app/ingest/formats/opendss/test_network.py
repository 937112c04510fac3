"""A small feeder: numbers by hand, and compared with OpenDSS itself."""

import math
from pathlib import Path

import numpy as np
import pytest

from app.errors import GridRejected
from app.ingest.protocol import Request
from app.ingest.sandbox.run import run_reader
from tests.app.ingest.formats.opendss.circuits import FEEDER, GEOMETRY, pack, phases_of, read_script
from tests.app.ingest.formats.opendss.oracle import opened_engine, run_original
from tests.app.ingest.requests import report_of


def _column(name: str) -> dict[str, float]:
    grid = read_script(FEEDER).grid
    values = grid.find_column(name)
    assert values is not None
    return dict(zip(grid.bus_ids, values.tolist(), strict=True))


def test_buses_and_branches_of_the_feeder() -> None:
    read = read_script(FEEDER)
    assert read.grid.name == "small"
    assert read.grid.bus_ids == ("source", "head", "a", "b", "c", "house")
    assert read.grid.find_buses("Source") == [0]
    report = report_of(read)
    assert report["branch_kinds"] == {"line": 3, "transformer": 2, "switch": 0, "link": 0}
    assert report["dropped"]["out_of_service_branches"] == 1
    assert report["switches"] == {"closed": 0, "open": 1, "open_at_branches": 0}
    assert report["statements_not_read"] == {"new regcontrol": 1, "solve": 1}
    assert report["buses_without_supply"] == 0


def test_loads_and_generators_of_the_feeder() -> None:
    # House: 4 kW at pf 0.9 (edited from 3), and 2.5 kW with 1 kvar; A: 100 kVA, leading.
    demand, reactive = _column("Pd"), _column("Qd")
    assert demand["house"] == pytest.approx(0.0065)
    assert reactive["house"] == pytest.approx((4 * math.tan(math.acos(0.9)) + 1) / 1e3)
    assert [demand["a"], reactive["a"]] == pytest.approx([0.08, -0.06])
    assert _column("Pg")["house"] == pytest.approx(0.004)
    assert _column("Pmax")["house"] == pytest.approx(0.005)
    assert [_column("Pg")["c"], _column("Qg")["c"]] == pytest.approx([0.05, 0.01])
    assert _column("Bs")["a"] == pytest.approx(0.3)


def test_impedances_are_per_unit_of_100_mva() -> None:
    # 12.47 kV: 1 p.u. is 1.555 ohm. L1: 2 km; L2: 0.5 km by matrix; L3: 500 m by expression.
    table = read_script(FEEDER).grid.branch_columns
    base = 12.47**2 / 100
    r, x, b, rating = (
        table.values[:, table.names.index(name)] for name in ("r", "x", "b", "rating")
    )
    np.testing.assert_allclose(r[:3], np.array([0.6, 0.25, 0.25]) / base)
    np.testing.assert_allclose(x[:3], np.array([1.2, 0.45, 0.45]) / base)
    np.testing.assert_allclose(b[0], 2 * math.pi * 60 * 20e-9 * base)
    assert rating[0] == pytest.approx(math.sqrt(3) * 12.47 * 400 / 1e3)
    # The substation: 8 % and 1 % on 10 MVA. Service: 2 % and 1.2 % on 25 kVA, one phase.
    assert (r[3], x[3]) == (pytest.approx(0.1), pytest.approx(0.8))
    assert (r[4], x[4]) == (
        pytest.approx(0.012 * 7.2**2 / 0.025 / base),
        pytest.approx(0.02 * 7.2**2 / 0.025 / base),
    )
    shift = table.values[:, table.names.index("shift")]
    assert shift.tolist() == [0, 0, 0, 30, 0]


def test_the_confined_process_reads_the_same() -> None:
    files: dict[str, str | bytes] = {
        "Master.dss": f"\ufeff{FEEDER}Redirect latin.dss\nBuscoords places.csv\n",
        "latin.dss": "New Line.L9 bus1=C.3 bus2=M\xfcnchen.3 linecode=Lateral\n".encode("latin-1"),
        "places.csv": "A, 1, 2\n",
    }
    read = run_reader(Request("opendss", {"file": pack(files)}))
    assert read.grid.bus_ids[-2:] == ("m\xfcnchen", "house")
    assert read.grid.coordinates[2].tolist() == [1, 2]
    hostile = files | {"latin.dss": "Shell touch /tmp/owned\nRedirect /etc/passwd\n"}
    with pytest.raises(GridRejected) as caught:
        run_reader(Request("opendss", {"file": pack(hostile)}))
    assert [fault.where for fault in caught.value.faults] == [
        "latin.dss line 1",
        "latin.dss line 2",
    ]


def test_the_split_phase_secondary_has_the_phase_of_its_primary() -> None:
    assert phases_of(read_script(FEEDER)) == {
        "source": "ABC",
        "head": "ABC",
        "a": "ABC",
        "b": "B",
        "c": "C",
        "house": "B",
    }


def test_counts_voltages_and_loads_equal_those_of_opendss(tmp_path: Path) -> None:
    script = tmp_path / "feeder.dss"
    script.write_text(FEEDER)
    original = run_original(script)
    grid = read_script(FEEDER).grid
    assert set(grid.bus_ids) == set(original.nodes)
    assert (original.lines, original.transformers) == (3, 2)
    assert sum(_column("Pd").values()) * 1e3 == pytest.approx(original.demand_kw)
    assert _column("base_kv") == pytest.approx(original.base_kv, rel=1e-4)


def test_impedances_by_geometry_and_matrix_equal_those_of_opendss() -> None:
    grid = read_script(GEOMETRY).grid
    ours = grid.branch_columns.values[:, 0] + 1j * grid.branch_columns.values[:, 1]
    with opened_engine() as engine:
        for line in GEOMETRY.splitlines():
            engine.Text.Command(line)
        engine.Text.Command("CalcVoltageBases")  # computes the impedances by geometry
        for at, name in enumerate(("overhead", "cable", "plain")):
            engine.Lines.Name(name)
            phases = engine.Lines.Phases()
            matrix = np.array(engine.Lines.RMatrix()) + 1j * np.array(engine.Lines.XMatrix())
            matrix = matrix.reshape(phases, phases) * engine.Lines.Length()
            mutual = (matrix.sum() - np.trace(matrix)) / (phases * (phases - 1))
            theirs = (np.trace(matrix) / phases - mutual) / (12.47**2 / 100)
            # OpenDSS has another formula for the earth and for the resistance of a wire.
            assert abs(ours[at] - theirs) / abs(theirs) < (0.02 if name == "overhead" else 1e-9)
    assert ours[3] == pytest.approx((0.2 + 1.5j) / (12.47**2 / 100))
    assert grid.kind_names[grid.kinds[3]] == "link"


def test_a_transformer_code_gives_ratings() -> None:
    text = (
        "New Circuit.x basekv=12.47 bus1=s\n"
        "New XfmrCode.t50 phases=1 windings=2 kvs=[7.2 0.24] kvas=[50 50] xhl=2.5 %rs=[0.5 0.5]\n"
        "New Transformer.t xfmrcode=t50 buses=[s.1 h.1]\n"
    )
    grid = read_script(text).grid
    assert dict(zip(grid.bus_ids, grid.features[:, -1], strict=True)) == {"s": 12.47, "h": 0.4157}
    r, x = grid.branch_columns.values[0, :2]
    assert x / r == pytest.approx(2.5)
    assert grid.branch_columns.values[0, 3] == pytest.approx(0.05)


def test_voltage_bases_can_be_set_per_bus() -> None:
    text = "New Circuit.x basekv=12.47 bus1=s\nNew Line.l bus1=s bus2=t\nSetkVBase bus=t kvln=7.6\n"
    grid = read_script(text).grid
    assert grid.features[1, -1] == pytest.approx(7.6 * math.sqrt(3))
