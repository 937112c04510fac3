import csv
import io
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from app.models.predictions import PackedPredictions
from app.models.service import NewModel, store_model
from app.predict.answers import ChosenModel
from app.predict.forms import choose_form, write
from app.predict.service import ModelChoice, choose_model
from app.storage.db import Database
from ml import random_split
from tests.app.samples import post_graph, put_model, ring

COUNT = 82_000
FORMS = ("columns", "rows", "csv", "geojson")


@pytest.fixture
def graph_id(api: TestClient) -> str:
    body = ring()
    for bus in body["buses"][:3]:
        bus |= {"lon": 7.5, "lat": 51.0 + float(bus["id"])}
    return post_graph(api, body)


def get(api: TestClient, query: str = "", **headers: str) -> Any:
    answer = api.get(f"/predict?{query}".rstrip("?"), headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def read_csv(answer: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_rows_are_the_answers_for_single_buses(api: TestClient, graph_id: str) -> None:
    model_id = put_model(api, graph_id)
    document = get(api, "form=rows").json()
    rows = document.pop("rows")
    assert (document["model_id"], document["count"]) == (model_id, 6)
    assert document["class_names"] == ["generator", "load", "neither"]
    for row in rows:
        single = api.get(f"/predict/{row['bus_id']}").json()
        assert row == {name: single[name] for name in row}
        assert single.keys() - row.keys() == {
            "label", "graph_id", "model_id", "chosen", "promise", "versions", "warnings",
        }  # fmt: skip


def test_rows_have_the_fields_of_their_description(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id)
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    document = get(api, "form=rows").json()
    assert list(document) == list(schemas["PredictionRowsOut"]["properties"])
    assert list(document["rows"][0]) == list(schemas["BusRowOut"]["properties"])
    assert list(get(api).json()) == list(schemas["PredictionColumnsOut"]["properties"])


def test_csv_has_one_line_per_bus_and_one_column_per_class(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id)
    answer = get(api, "form=csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    first, *_, last = read_csv(answer)
    assert first == {
        "bus_id": "1",
        "bus_name": "Bus 1",
        "class": "load",
        "probability": "0.7",
        "probability of generator": "0.1",
        "probability of load": "0.7",
        "probability of neither": "0.2",
        "true_label": "load",
        "known_label": "load",
        "answer": "load",
        "source": "known",
        "split": "train",
        "prediction_set": "",
        "abstain": "false",
        "quality": "known",
        "reasons": "known label",
    }
    assert (last["abstain"], last["reasons"]) == ("true", "too few labels")
    assert (last["known_label"], last["source"]) == ("", "predicted")


def test_csv_is_safe_to_open_in_a_spreadsheet(api: TestClient) -> None:
    body = ring()
    body["buses"][0]["name"] = "=1+1"
    names = ("=load", "-x", "+y")
    put_model(api, post_graph(api, body), class_names=names)
    first = read_csv(get(api, "form=csv"))[0]
    assert (first["bus_name"], first["class"], first["answer"]) == ("'=1+1", "'-x", "'-x")
    cells = [cell for row in read_csv(get(api, "form=csv")) for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


def test_geojson_has_a_point_where_the_place_is_known(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id)
    answer = get(api, "form=geojson")
    assert answer.headers["content-type"] == "application/geo+json"
    document = answer.json()
    assert document["type"] == "FeatureCollection"
    assert document["graph_id"] == graph_id
    first, *_, last = document["features"]
    assert first["geometry"] == {"type": "Point", "coordinates": [7.5, 52.0]}
    assert first["properties"]["class"] == "load"
    assert last["geometry"] is None


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_compressed_for_clients_that_accept_it(
    api: TestClient, graph_id: str, form: str
) -> None:
    put_model(api, graph_id)
    plain = get(api, f"form={form}", **{"Accept-Encoding": "identity"})
    packed = get(api, f"form={form}", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("text/csv", "csv"),
        ("application/geo+json;q=0.9, */*", "geojson"),
        ("application/json, text/csv", "columns"),
        ("*/*", "columns"),
        ("", "columns"),
    ],
)
def test_the_accept_header_chooses_the_form(accept: str, form: str) -> None:
    assert choose_form(accept) == form


def test_the_parameter_takes_precedence_over_the_header(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id)
    assert "rows" in get(api, "form=rows", Accept="text/csv").json()
    assert get(api, Accept="text/csv").text.startswith("bus_id,")


def list_ids(api: TestClient, query: str) -> list[str]:
    """Return the ids that a filter selects, which must be the same in every form."""
    columns: list[str] = get(api, query).json()["bus_ids"]
    rows = get(api, f"form=rows&{query}").json()
    assert [row["bus_id"] for row in rows["rows"]] == columns
    assert rows["count"] == len(columns)
    assert [row["bus_id"] for row in read_csv(get(api, f"form=csv&{query}"))] == columns
    points = get(api, f"form=geojson&{query}").json()["features"]
    assert [point["properties"]["bus_id"] for point in points] == columns
    return columns


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("class=load", "14"),
        ("class=load&class=generator", "134"),
        ("source=predicted", "6"),
        ("abstain=true", "6"),
        ("abstain=false&class=load", "14"),
        ("source=known&class=neither", "25"),
        ("order=least-certain", "456213"),
        ("order=least-certain&limit=2", "45"),
        ("limit=100", "123456"),
        ("class=generator&source=predicted", ""),
    ],
)
def test_filters_select_and_order_buses(
    api: TestClient, graph_id: str, query: str, expected: str
) -> None:
    put_model(api, graph_id)
    assert "".join(list_ids(api, query)) == expected


def test_columns_of_a_filter_belong_together(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id)
    columns = get(api, "class=load&order=least-certain").json()
    assert columns["bus_ids"] == ["4", "1"]
    assert columns["probabilities"] == [[0.3, 0.4, 0.3], [0.1, 0.7, 0.2]]
    assert columns["known_labels"] == [1, 1]
    assert columns["parts"] == ["test", "train"]


def test_every_unknown_class_is_named_with_the_classes_there_are(
    api: TestClient, graph_id: str
) -> None:
    put_model(api, graph_id)
    answer = api.get("/predict?class=load&class=slack&class=none")
    assert answer.status_code == 422
    problems = [fault["problem"] for fault in answer.json()["errors"]]
    assert len(problems) == 2
    assert "'slack'" in problems[0]
    assert "'generator', 'load', 'neither'" in problems[0]


@pytest.mark.parametrize(
    "query",
    ["form=xml", "abstain=maybe", "limit=0", "limit=x", "source=maybe", "order=most", "sort=x"],
)
def test_invalid_parameters_are_refused(api: TestClient, graph_id: str, query: str) -> None:
    put_model(api, graph_id)
    assert api.get(f"/predict?{query}").status_code == 422


def test_a_list_of_buses_is_answered_in_its_order(any_api: TestClient) -> None:
    put_model(any_api, post_graph(any_api))
    answer = any_api.post("/predict", json={"bus_ids": ["6", "Bus 2", "6"]})
    assert answer.status_code == 200
    document = answer.json()
    assert [row["bus_id"] for row in document["rows"]] == ["6", "2", "6"]
    assert document["rows"][1]["class"] == any_api.get("/predict/2").json()["class"]
    assert document["count"] == 3


def test_every_bus_that_is_not_found_is_named(api: TestClient) -> None:
    body = ring()
    body["buses"][0]["name"] = body["buses"][4]["name"] = "Twin"
    put_model(api, post_graph(api, body))
    answer = api.post("/predict", json={"bus_ids": ["1", "x", "Twin", "y"]})
    assert answer.status_code == 422
    faults = {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}
    assert list(faults) == ["bus_ids[1]", "bus_ids[2]", "bus_ids[3]"]
    assert "has no bus 'x'" in faults["bus_ids[1]"]
    assert "1, 5" in faults["bus_ids[2]"]


@pytest.mark.parametrize(
    "body", [{}, {"bus_ids": []}, {"bus_ids": [1]}, {"bus_ids": ["1"], "outages": ["2"]}, []]
)
def test_an_invalid_list_is_refused(api: TestClient, graph_id: str, body: Any) -> None:
    put_model(api, graph_id)
    answer = api.post("/predict", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"]


def test_a_list_may_name_the_model(api: TestClient, graph_id: str) -> None:
    put_model(api, graph_id, accuracy=0.9)
    worse = put_model(api, graph_id, accuracy=0.1)
    answer = api.post("/predict", json={"bus_ids": ["1"], "model_id": worse})
    assert answer.json()["model_id"] == worse


@pytest.fixture
def large_model(api: TestClient) -> ChosenModel:
    """A model of 82,000 buses on a circle, with four classes."""
    angles = np.linspace(0, 360, COUNT).round(4).tolist()
    buses = [
        {"id": bus, "name": f"Bus {bus}", "label": bus % 4, "lon": angle / 2, "lat": angle / 4}
        for bus, angle in enumerate(angles)
    ]
    graph_id = post_graph(api, {"buses": buses, "branches": []})
    shares = np.random.default_rng(0).dirichlet(np.ones(4), COUNT)
    model = NewModel(
        graph_id=graph_id,
        label="label",
        kind="lfgcn",
        class_names=("0", "1", "2", "3"),
        weights=b"",
        manifest={},
        metrics={},
        curves={},
        predictions=PackedPredictions.pack(shares, random_split(np.arange(COUNT) % 4, 0)),
    )
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.writing() as session:
        store_model(session, model)
    with database.reading() as session:
        return choose_model(session, ModelChoice())


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_82000_buses_are_written_in_small_pieces(large_model: ChosenModel, form: Any) -> None:
    sizes = [len(piece) for piece in write(form, large_model, np.arange(COUNT))]
    assert sum(sizes) > 40 * COUNT
    assert max(sizes) < 4 * 2**20
