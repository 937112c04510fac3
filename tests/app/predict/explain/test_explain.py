import subprocess
import sys
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import ml
from app.http.problems import TYPE_PREFIX
from app.predict.explain.example import EXAMPLE
from tests.app.models.real_models import AUTO, SPLIT, post_ring, put_trained
from tests.app.samples import post_graph, put_model, ring

OFFERED = [key for key, method in ml.METHODS.items() if method.offered]
EXACT = {"majority", "one_rule", "label_propagation", "closed_form", "forest", "lfgcn"}


def explain(api: TestClient, bus: str, status: int = 200, **query: Any) -> Any:
    answer = api.get(f"/predict/{bus}/explain", params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


def check_sums(part: dict[str, Any], target: str) -> None:
    """The listed contributions and the others sum to the scores."""
    rows = part["buses"] + part["columns"]
    if part["kind"] in ("labels", "neighbours"):
        for name, score in part["scores"].items():
            listed = sum(row["contribution"] for row in rows if row["class"] == name)
            others = part["others"]["by_class"].get(name, 0.0)
            assert listed + others == pytest.approx(score, abs=1e-6)
    elif part["kind"] in ("nodes", "columns"):
        total = part["base"] + sum(row["contribution"] for row in rows)
        total += part["others"]["contribution"]
        assert total == pytest.approx(part["scores"][target], abs=1e-6)
    shares = sum(row["share"] for row in rows) + part["others"]["share"]
    if part["kind"] != "frequencies":
        assert shares == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("key", OFFERED)
def test_every_method_is_explained_or_says_that_it_cannot(api: TestClient, key: str) -> None:
    graph_id = post_ring(api)
    model_id = put_trained(api, graph_id, key)
    for bus in ("1", "12"):
        found = explain(api, bus, top=2)
        assert (found["model_id"], found["graph_id"]) == (model_id, graph_id)
        for part in found["parts"]:
            assert len(part["buses"]) + len(part["columns"]) <= 2
            if part["exact"]:
                check_sums(part, found["class"])
        if key in EXACT:
            assert found["reproduced"]
        elif key != AUTO:
            (part,) = found["parts"]
            assert (part["kind"], part["exact"]) == ("nearest_labels", False)
            assert "cannot be explained exactly" in part["note"]
            assert part["buses"][0]["contribution"] is None


def test_the_explained_answer_is_the_served_one(api: TestClient) -> None:
    put_trained(api, post_ring(api), AUTO)
    for bus in ("2", "12"):
        served = api.get(f"/predict/{bus}").json()
        found = explain(api, bus)
        assert found["reproduced"] or any(not part["exact"] for part in found["parts"])
        if found["out_of_fold"] or served["source"] == "predicted":
            assert found["class"] == served["class"]
            assert found["probabilities"] == pytest.approx(served["probabilities"], abs=2e-6)


def test_labels_of_buses_are_named_with_their_class_and_distance(api: TestClient) -> None:
    put_trained(api, post_ring(api), "label_propagation")
    (part,) = explain(api, "12", top=100)["parts"]
    assert {row["bus_id"]: row["class"] for row in part["buses"]} == {"1": "load", "3": "neither"}
    assert {row["bus_id"]: row["distance"] for row in part["buses"]} == {"1": 1, "3": 3}
    # Bus 2 lies between the two, whose labels stay as they are: nothing comes past them.
    others = {"count": 1, "contribution": 0.0, "share": 0.0, "by_class": {"generator": 0.0}}
    assert part["others"] == others
    sizes = [row["contribution"] for row in part["buses"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(SPLIT.train) == len(sizes) + 1


def test_the_overlay_has_a_point_per_contributing_bus(api: TestClient) -> None:
    body = ring(12)
    for bus in body["buses"]:
        bus |= {"lon": 7.0 + float(bus["id"]) / 10, "lat": 51.0}
    put_trained(api, post_graph(api, body), "label_propagation")
    asked = api.get("/predict/12/explain", headers={"Accept": "application/geo+json"})
    assert asked.headers["content-type"] == "application/geo+json"
    assert asked.json() == explain(api, "12", form="geojson")
    first, *others = asked.json()["features"]
    assert first["geometry"]["coordinates"] == pytest.approx([8.2, 51.0])
    assert first["properties"]["role"] == "explained"
    assert {one["properties"]["bus_id"] for one in others} == {"1", "3"}
    assert all(one["properties"]["share"] > 0 for one in others)


def test_ids_with_slashes_and_names_are_found(api: TestClient) -> None:
    body = ring(12)
    body["buses"][11] |= {"id": "north/bus 12", "name": "Nord"}
    for branch in body["branches"]:
        for end in ("from", "to"):
            branch[end] = branch[end].replace("12", "north/bus 12")
    put_trained(api, post_graph(api, body), "closed_form")
    by_id = explain(api, quote("north/bus 12"))
    assert by_id["bus_id"] == "north/bus 12"
    assert explain(api, "Nord") == by_id


def test_a_model_that_does_not_fit_what_is_stored_says_so(api: TestClient) -> None:
    put_model(api, post_graph(api))
    found = explain(api, "1")
    assert (found["reproduced"], found["parts"]) == (None, [])
    assert found["note"].startswith("The grid or the labels are not those")


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"top": 0, "form": "csv"}, {"query.top", "query.form"}),
        ({"top": "many"}, {"query.top"}),
        ({"tops": 3}, {"query.tops"}),
        ({"model_id": "x" * 65, "top": 1001}, {"query.model_id", "query.top"}),
    ],
)
def test_wrong_parameters_are_all_named(
    api: TestClient, query: dict[str, Any], where: set[str]
) -> None:
    put_model(api, post_graph(api))
    problem = explain(api, "1", 422, **query)
    assert {fault["where"] for fault in problem["errors"]} == where


def test_unknown_buses_models_and_grids_are_not_found(api: TestClient) -> None:
    assert explain(api, "1", 409)["type"] == f"{TYPE_PREFIX}no-model-yet"
    put_model(api, post_graph(api))
    assert explain(api, "99", 404)["type"] == f"{TYPE_PREFIX}bus-not-found"
    explain(api, "x" * 201, 422)
    explain(api, "1", 404, model_id="none")
    explain(api, "1", 404, graph_id="none")


def test_the_answer_has_the_fields_of_its_description(api: TestClient) -> None:
    put_trained(api, post_ring(api), "forest")
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    found = explain(api, "12")
    part = found["parts"][0]
    for name, row in (
        ("ExplanationOut", found),
        ("ExplainedPartOut", part),
        ("ContributingColumnOut", part["columns"][0]),
        ("OtherContributionsOut", part["others"]),
    ):
        assert list(row) == list(schemas[name]["properties"])
    assert list(EXAMPLE) == list(found)
    for one in EXAMPLE["parts"]:
        assert list(one) == list(part)
        check_sums(one, EXAMPLE["class"])


def test_explanations_need_no_torch() -> None:
    script = (
        "import sys, ml; ml.Explainer, ml.Explanation, ml.read_split;"
        "import app.main; assert 'torch' not in sys.modules, 'torch'"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
