"""Columns that give a label away are hidden from the features, unless a request says otherwise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import LabelsRejected
from app.grid.grid import Columns, Grid, LabelSet
from app.grid.hidden_columns import hide_column, hide_named, list_hidden_columns, without_columns
from app.jobs.service import get_job
from app.labels.suitability import judge_suitability
from tests.app.grid.small_grids import make_grid
from tests.app.ingest.requests import SMALL_CASE


def _grid() -> Grid:
    """Columns of a power grid, and some that a CSV may have."""
    return replace(
        make_grid(),
        feature_names=("Pd", "Vm", "base_kv"),
        feature_units=("MW", "p.u.", "kV"),
        features=np.arange(9.0).reshape(3, 3),
        bus_columns=Columns(
            ("generators", "zone", "V_nom", "level"), ("", "", "", "V"), np.ones((3, 4))
        ),
    )


def _labels(name: str, **fields: Any) -> LabelSet:
    return LabelSet(name, ("a", "b"), np.array([0, 1, 0]), "test", **fields)


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("voltage_level", ["base_kv", "V_nom", "level"]),
        ("voltage_class", ["base_kv", "V_nom", "level"]),
        ("voltage_band", ["Vm"]),
        ("role", ["generators"]),
        ("bus_type", ["generators"]),
        ("Zone", ["zone"]),
        ("operator", []),
    ],
)
def test_each_label_hides_what_it_is_made_of(name: str, hidden: list[str]) -> None:
    assert list(list_hidden_columns(_grid(), _labels(name))) == hidden


def test_a_label_of_a_column_hides_the_column_and_a_text_of_voltages_all_voltages() -> None:
    assert list(hide_column(_grid(), "Pd")) == ["Pd"]
    assert list(hide_column(_grid(), "voltLvl")) == ["base_kv", "V_nom", "level"]
    assert hide_column(_grid(), "operator") == {}


def test_the_author_of_labels_hides_columns_of_the_grid() -> None:
    hides = hide_named(_grid(), ["Pd"])
    assert list(list_hidden_columns(_grid(), _labels("own", hides=hides))) == ["Pd"]
    with pytest.raises(LabelsRejected) as caught:
        hide_named(_grid(), ["Pd", "x", "y"])
    assert [fault.where for fault in caught.value.faults] == ["hides", "hides"]


def test_a_grid_without_columns_keeps_the_others() -> None:
    seen = without_columns(_grid(), {"Vm", "zone"})
    assert (seen.feature_names, seen.feature_units) == (("Pd", "base_kv"), ("MW", "kV"))
    assert seen.features.tolist() == [[0, 2], [3, 5], [6, 8]]
    assert seen.bus_columns.names == ("generators", "V_nom", "level")
    assert seen.bus_columns.values.shape == (3, 3)


def test_suitability_is_measured_without_the_hidden_columns() -> None:
    count = 40
    rng = np.random.default_rng(0)
    voltages = rng.permutation(np.repeat([20.0, 110.0], count // 2))
    grid = replace(
        make_grid(),
        bus_ids=tuple(map(str, range(count))),
        feature_names=("Pd", "base_kv"),
        feature_units=("MW", "kV"),
        features=np.column_stack([rng.random(count), voltages]),
        coordinates=np.full((count, 2), np.nan),
        ends=np.column_stack([np.arange(count - 1), np.arange(1, count)]),
        weights=np.ones(count - 1),
        kinds=np.zeros(count - 1, dtype=np.int64),
    )
    classes = (voltages > 50).astype(np.int64)
    levels = LabelSet("voltage_level", ("20 kV", "110 kV"), classes, "test")
    report = judge_suitability(grid, levels)
    assert list(report.hidden) == ["base_kv"]
    assert report.gives_away == []
    assert [one.column for one in report.single_columns] == ["Pd"]


@pytest.fixture
def graph_id(api: TestClient) -> str:
    answer = api.post("/graphs", files={"file": ("case.m", SMALL_CASE.encode())})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _train(api: TestClient, graph_id: str, **body: Any) -> Any:
    fields = {"graph_id": graph_id, "label": "voltage_level", "config": {"method": "auto"}}
    return api.post("/train", json=fields | body)


def _features(api: TestClient, answer: Any) -> list[str]:
    assert answer.status_code == 202, answer.text
    database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.reading() as session:
        features: list[str] = get_job(session, answer.json()["job_id"]).payload["features"]
    return features


def test_training_leaves_hidden_columns_out_and_refuses_to_use_them(
    api: TestClient, graph_id: str
) -> None:
    added = api.post(f"/graphs/{graph_id}/labels", json={"kind": "voltage_level"})
    assert added.status_code == 201, added.text
    assert added.json()["hides"] == {"base_kv": "it is the nominal voltage"}
    assert "base_kv" not in _features(api, _train(api, graph_id))
    refused = _train(api, graph_id, features=["Pd", "base_kv"])
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["where"] == "features"
    assert "'base_kv' gives the label away: it is the nominal voltage" in fault["problem"]
    allowed = _train(api, graph_id, features=["Pd", "base_kv"], use_hidden=True)
    assert _features(api, allowed) == ["Pd", "base_kv"]


def test_a_sweep_obeys_too(api: TestClient, graph_id: str) -> None:
    api.post(f"/graphs/{graph_id}/labels", json={"kind": "voltage_level"})
    sweep = {"grid": {"gamma": [0.5, 1.0]}}
    refused = _train(api, graph_id, features=["base_kv"], sweep=sweep, config={})
    assert "gives the label away" in refused.text


def test_labels_of_a_numeric_column_hide_it(api: TestClient, graph_id: str) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json={"column": "base_kv", "name": "kv"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["hides"] == {"base_kv": "the label is made of this column"}
    listed = api.get(f"/graphs/{graph_id}/labels").json()["items"]
    assert {one["name"]: list(one["hides"]) for one in listed}["kv"] == ["base_kv"]


def test_own_labels_hide_what_their_author_names(api: TestClient, graph_id: str) -> None:
    body = {"name": "own", "labels": {"1": "a", "2": "b"}, "hides": ["Pd"]}
    answer = api.post(f"/graphs/{graph_id}/labels", json=body)
    assert list(answer.json()["hides"]) == ["Pd"]
    url = f"/graphs/{graph_id}/labels"
    assert api.post(url, json=body).status_code == 200
    other = body | {"hides": ["Qd"]}
    assert api.post(url, json=other).status_code == 409
    assert list(api.post(f"{url}?replace=true", json=other).json()["hides"]) == ["Qd"]
    files = {"file": ("x.csv", b"bus,label\n1,a\n2,b\n")}
    data = {"name": "filed", "hides": "Pd, Qd"}
    answer = api.post(f"/graphs/{graph_id}/labels", files=files, data=data)
    assert list(answer.json()["hides"]) == ["Pd", "Qd"]
    wrong = api.post(f"/graphs/{graph_id}/labels", json=body | {"hides": ["nothing"]})
    assert (wrong.status_code, wrong.json()["errors"][0]["where"]) == (422, "hides")
