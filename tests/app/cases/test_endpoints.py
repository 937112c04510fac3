import pytest
from fastapi.testclient import TestClient

from app.ingest.case_sizes import CASE_SIZES
from app.ingest.cases import CASES


def test_every_case_is_listed_with_its_size(api: TestClient) -> None:
    items = {case["name"]: case for case in api.get("/cases").json()["items"]}
    assert items["case118"] == {
        "name": "case118",
        "source": "pandapower",
        "buses": 118,
        "branches": 186,
    }
    assert items["matpower:case_SyntheticUSA"]["buses"] == 82000
    assert len([name for name in items if name.startswith("matpower:")]) == 78


def test_the_sizes_cover_every_case_that_is_read() -> None:
    assert set(CASE_SIZES) == set(CASES)


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
def test_names_outside_the_list_are_refused(api: TestClient, name: str) -> None:
    answer = api.post("/graphs", json={"case": name})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "case"
