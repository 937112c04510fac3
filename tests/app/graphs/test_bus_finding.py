from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.samples import post_graph, put_model, ring

NAMES = ("Chester", "Westchester", "Port Chester", "Manchester Süd", "Ostrava", "Chester-le-Street")


def _town(number: int, name: str) -> dict[str, Any]:
    station = "Chester yard" if name == "Ostrava" else f"S{number}"
    return {"id": f"B{number}", "name": name, "substation": station, "features": {"Pd": 1.0}}


@pytest.fixture
def graph_id(api: TestClient) -> str:
    buses = [_town(number, name) for number, name in enumerate(NAMES, start=1)]
    branches = [{"from": f"B{number}", "to": f"B{number % 6 + 1}"} for number in range(1, 7)]
    return post_graph(api, {"buses": buses, "branches": branches})


def _search(api: TestClient, graph_id: str, text: str, **more: str | int) -> dict[str, Any]:
    answer = api.get(f"/graphs/{graph_id}/buses", params={"q": text, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_matches_are_ranked_by_how_they_match(api: TestClient, graph_id: str) -> None:
    items = _search(api, graph_id, "chester")["items"]
    assert [item["name"] for item in items] == [
        "Chester",
        "Chester-le-Street",
        "Ostrava",  # its substation begins with the text
        "Port Chester",
        "Westchester",
        "Manchester Süd",
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("b4", ["B4"]),
        ("SUD", ["B4"]),
        ("  port   chester ", ["B3"]),
        ("Chester yard", ["B5"]),
        ("s2", ["B2"]),
        ("no such bus", []),
    ],
)
def test_ids_names_and_substations_are_searched(
    api: TestClient, graph_id: str, text: str, ids: list[str]
) -> None:
    assert [item["id"] for item in _search(api, graph_id, text)["items"]] == ids


def test_a_search_has_pages(api: TestClient, graph_id: str) -> None:
    first = _search(api, graph_id, "chester", limit=4)
    assert (first["total"], first["next_cursor"]) == (6, "4")
    second = _search(api, graph_id, "chester", limit=4, cursor=first["next_cursor"])
    assert (len(second["items"]), second["next_cursor"]) == (2, None)
    assert api.get(f"/graphs/{graph_id}/buses").json()["total"] == 6


@pytest.mark.parametrize("query", ["q=", "q=%20%20", "q=" + "x" * 201])
def test_an_unusable_search_is_refused(api: TestClient, graph_id: str, query: str) -> None:
    answer = api.get(f"/graphs/{graph_id}/buses?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "query.q"


def test_one_bus_is_shown_by_id_or_name(api: TestClient, graph_id: str) -> None:
    by_name = api.get(f"/graphs/{graph_id}/buses/Port Chester").json()
    assert by_name == api.get(f"/graphs/{graph_id}/buses/B3").json()
    assert by_name["id"] == "B3"


@pytest.mark.parametrize(
    ("text", "suggestion"), [("Ostrva", "Ostrava"), ("B44", "B4"), ("manch", "Manchester Süd")]
)
def test_an_unknown_bus_gets_suggestions(
    api: TestClient, graph_id: str, text: str, suggestion: str
) -> None:
    answer = api.get(f"/graphs/{graph_id}/buses/{text}")
    assert answer.status_code == 404
    assert suggestion in answer.json()["suggestions"]
    assert len(answer.json()["suggestions"]) <= 5
    assert api.get(f"/graphs/{graph_id}/buses/{suggestion}").status_code == 200


def test_an_unknown_bus_of_a_prediction_gets_suggestions(api: TestClient) -> None:
    put_model(api, post_graph(api))
    answer = api.get("/predict/Buss 3")
    assert answer.status_code == 404
    assert answer.json()["suggestions"][0] == "Bus 3"
    assert "Did you mean 'Bus 3'" in answer.json()["detail"]


def test_a_name_of_several_buses_is_answered_with_their_ids(api: TestClient) -> None:
    body = ring()
    for bus in body["buses"][:2]:
        bus["name"] = "twin"
    answer = api.get(f"/graphs/{post_graph(api, body)}/buses/twin")
    assert answer.status_code == 404
    assert answer.json()["suggestions"] == ["1", "2"]
