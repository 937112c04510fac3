"""Label sets made of text columns: one call, rules shown, rare values grouped."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.grid.grid import Grid, TextColumn
from app.ingest.build.text_columns import choose_text_columns
from app.labels.text_labels import TextChoice, label_by_text
from tests.app.grid.small_grids import make_grid
from tests.app.ingest.archives import PYPSA, make_zip

_OPERATORS = ["TenneT", "tennet", "TenneT;EON", "EON_Netz", "EON Netz", "EON  netz", "RWE", ""]


def _grid(texts: list[str]) -> Grid:
    count = len(texts)
    small = make_grid()
    return Grid(
        name="texts",
        source="test",
        bus_ids=tuple(map(str, range(count))),
        aliases={},
        coordinates=np.full((count, 2), np.nan),
        coordinate_system="none",
        feature_names=small.feature_names,
        feature_units=small.feature_units,
        features=np.ones((count, 1)),
        ends=np.array([[0, 1]]),
        weights=np.ones(1),
        kinds=np.zeros(1, dtype=np.int64),
        kind_names=("line",),
        text_columns=choose_text_columns({"operator": texts}),
    )


def _names(texts: list[str], **choice: Any) -> list[str | None]:
    label_set, _ = label_by_text(_grid(texts), TextChoice("operator", **choice))
    return [label_set.class_names[code] if code >= 0 else None for code in label_set.classes]


def test_spellings_become_one_class_under_the_most_frequent_one() -> None:
    texts = ["TenneT", *_OPERATORS, "EON_Netz"]
    eon = ["EON_Netz"] * 3
    assert _names(texts) == [*["TenneT"] * 4, *eon, "RWE", None, "EON_Netz"]


def test_each_rule_can_be_left_out() -> None:
    assert _names(["a", "A", "b", "b"], rules=("spaces",)) == ["a", "A", "b", "b"]
    assert _names(["a b", "a_b", "c", "c"], rules=("case",)) == ["a b", "a_b", "c", "c"]
    assert _names(["a;b", "a", "c", "c"], rules=()) == ["a;b", "a", "c", "c"]


def test_rare_values_are_grouped_on_request() -> None:
    texts = ["a"] * 3 + ["b"] * 2 + ["c", "d", ""]
    assert _names(texts, smallest=2) == ["a"] * 3 + ["b"] * 2 + ["other"] * 2 + [None]
    label_set, report = label_by_text(_grid(texts), TextChoice("operator", smallest=2))
    assert report.grouped.first == ["c", "d"]
    assert "values on fewer than 2 buses are 'other'" in label_set.definition


def test_a_class_other_of_the_file_takes_the_rare_values() -> None:
    assert _names(["Other", "Other", "x", "a", "a"], smallest=2)[2] == "Other"


def test_the_report_shows_rules_and_merged_spellings() -> None:
    _, report = label_by_text(_grid(["a b", "A_B", "A_B", "c"]), TextChoice("operator"))
    assert report.merged == {"A_B": ["A_B", "a b"]}
    assert set(report.rules) == {"case", "spaces", "lists"}
    assert (report.values, report.merged_values) == (3, 1)


@pytest.fixture
def graph_id(api: TestClient) -> str:
    answer = api.post("/graphs", files={"file": ("net.zip", make_zip(PYPSA))})
    assert answer.status_code == 201
    offered = answer.json()["report"]["text_columns"]
    assert [(one["name"], one["values"], one["buses"]) for one in offered] == [
        ("country", 2, 4),
        ("operator", 3, 4),
    ]
    return str(answer.json()["id"])


def test_a_column_becomes_a_label_set_in_one_call(api: TestClient, graph_id: str) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json={"column": "operator"})
    assert answer.status_code == 201
    body = answer.json()
    assert body["class_counts"] == {"Amprion": 2, "TenneT": 2}
    assert (body["name"], body["source"]) == ("operator", "file")
    assert body["report"]["merged"] == {"TenneT": ["TenneT", "tennet ;x"]}
    again = api.post(f"/graphs/{graph_id}/labels", json={"column": "operator"})
    assert again.status_code == 200
    raw = {"column": "operator", "name": "raw operator", "rules": [], "smallest": 2}
    grouped = api.post(f"/graphs/{graph_id}/labels", json=raw).json()
    assert grouped["class_counts"] == {"Amprion": 2, "other": 2}


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("operator", {"Amprion": 2, "TenneT": 2}),
        ("country", {"DE": 3, "FR": 1}),
    ],
)
def test_kinds_of_the_catalogue_come_from_text_columns(
    api: TestClient, graph_id: str, kind: str, counts: dict[str, int]
) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json={"kind": kind})
    assert answer.status_code == 201, answer.text
    assert answer.json()["class_counts"] == counts
    assert (answer.json()["name"], answer.json()["source"]) == (kind, "catalogue")


@pytest.mark.parametrize("kind", ["subnet", "fuel", "substation_type"])
def test_a_kind_without_its_text_column_is_answered_with_those_there_are(
    api: TestClient, graph_id: str, kind: str
) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json={"kind": kind})
    assert answer.status_code == 422
    assert "this grid has: country, operator" in answer.json()["errors"][0]["problem"]


def test_buses_show_their_texts(api: TestClient, graph_id: str) -> None:
    first = api.get(f"/graphs/{graph_id}/buses").json()["items"][0]
    assert first["texts"] == {"country": "DE", "operator": "TenneT"}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"column": "nothing"}, "column"),
        ({"column": "operator", "kind": "role"}, "body"),
        ({"column": "operator", "rules": ["shout"]}, "rules.0"),
        ({"column": "operator", "smallest": 0}, "smallest"),
        ({"column": "operator", "smallest": 100}, "column"),
        ({"column": "operator", "name": "a/b"}, "name"),
        ({"kind": "role", "smallest": 3}, "smallest"),
    ],
)
def test_wrong_requests_are_refused(
    api: TestClient, graph_id: str, body: dict[str, Any], where: str
) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == where


def test_an_unknown_column_is_answered_with_those_there_are(api: TestClient, graph_id: str) -> None:
    answer = api.post(f"/graphs/{graph_id}/labels", json={"column": "owner"})
    assert "country, operator" in answer.json()["errors"][0]["problem"]


def test_more_than_a_thousand_classes_need_grouping() -> None:
    values = tuple(f"v{at}" for at in range(1001))
    codes = np.concatenate([np.arange(1001), np.zeros(5, dtype=np.int64)])
    grid = _grid(["a", "b"] * 503)
    grid.text_columns["operator"] = TextColumn(values, codes)  # type: ignore[index]
    label_set, _ = label_by_text(grid, TextChoice("operator", smallest=2))
    assert label_set.class_names == ("other", "v0")


def test_an_export_keeps_the_text_columns(api: TestClient, graph_id: str) -> None:
    branches = api.get(f"/graphs/{graph_id}/export/csv").content
    buses = api.get(f"/graphs/{graph_id}/export/csv-buses").content
    files = {"file": ("branches.csv", branches), "buses": ("buses.csv", buses)}
    again = api.post("/graphs", files=files)
    assert again.status_code == 201, again.text
    offered = {one["name"]: one["values"] for one in again.json()["report"]["text_columns"]}
    assert (offered["country"], offered["operator"]) == (2, 3)
