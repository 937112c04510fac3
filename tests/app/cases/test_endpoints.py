import pytest
from fastapi.testclient import TestClient

from app.ingest.cases.places import PLACED_CASES
from app.ingest.cases.sizes import PLACED_NETS
from app.ingest.cases.towns import TOWN_CASES


def test_every_case_is_listed_with_its_size(api: TestClient) -> None:
    items = {case["name"]: case for case in api.get("/cases").json()["items"]}
    assert items["case118"] == {
        "name": "case118",
        "source": "pandapower",
        "buses": 118,
        "branches": 186,
        "has_places": False,
        "places_are_approximate": False,
    }
    assert items["matpower:case_SyntheticUSA"]["buses"] == 82000
    placed = {name for name, case in items.items() if case["has_places"]}
    exact = {f"matpower:{name}" for name in PLACED_CASES} | PLACED_NETS
    approximate = {name for name, case in items.items() if case["places_are_approximate"]}
    assert approximate == {f"matpower:{name}" for name in TOWN_CASES}
    assert placed == exact | approximate
    assert len([name for name in items if name.startswith("matpower:")]) == 78


def test_a_case_is_read_with_the_options_that_are_sent_along(api: TestClient) -> None:
    options = {"weight": "admittance", "check": "power_flow", "columns": "topology"}
    report = api.post("/graphs", json={"case": "matpower:case14"} | options).json()["report"]
    assert report["weight"]["choice"] == "admittance"
    assert report["power_flow"]["done"]
    assert "betweenness" in report["topology_columns"]["added"]


@pytest.mark.parametrize(
    "body",
    [
        {"case": "matpower:case14", "weight": "heavy"},
        {"case": "case14", "check": "everything"},
        {"case": "case14", "columns": "all"},
        {"buses": [{"id": "a"}], "branches": [], "weight": "one"},
    ],
)
def test_unknown_options_are_rejected_by_name(api: TestClient, body: dict[str, object]) -> None:
    answer = api.post("/graphs", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] in body


@pytest.mark.parametrize("name", ["matpower:case300", "example_simple"])
def test_a_listed_case_has_the_size_it_is_listed_with(api: TestClient, name: str) -> None:
    listed = {case["name"]: case for case in api.get("/cases").json()["items"]}[name]
    stored = api.post("/graphs", json={"case": name})
    assert stored.status_code == 201
    counts = stored.json()["bus_count"], stored.json()["branch_count"]
    assert counts == (listed["buses"], listed["branches"])


@pytest.mark.parametrize(
    "name",
    ["matpower:../../../etc/passwd", "matpower:", "matpower:case118.m", "to_json", "__doc__"],
)
def test_unknown_names_are_rejected(api: TestClient, name: str) -> None:
    answer = api.post("/graphs", json={"case": name})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "case"
