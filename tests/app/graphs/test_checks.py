"""GET /graphs/{id}/checks: verdict on a grid model over HTTP."""

import csv
import io
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.checks.registry import RULES
from app.main import create_app
from app.settings import Settings
from tests.app.samples import post_graph, ring

_CASE = {"case": "matpower:case300"}


def _lonely_ring() -> dict[str, Any]:
    body = ring()
    body["buses"].append({"id": "=lonely", "features": {"Pd": 0.0}})
    return body


def _check(api: TestClient, graph_id: str, query: str = "") -> dict[str, Any]:
    answer = api.get(f"/graphs/{graph_id}/checks{query}")
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_a_defect_is_listed_with_elements_reason_and_advice(api: TestClient) -> None:
    answer = _check(api, post_graph(api, _lonely_ring()))
    assert (answer["errors"], answer["warnings"], answer["notes"]) == (0, 1, 0)
    (result,) = answer["results"]
    rule = RULES["isolated-bus"]
    assert (result["rule"], result["severity"], result["count"]) == (rule.name, "warning", 1)
    assert (result["why"], result["fix"]) == (rule.why, rule.fix)
    (finding,) = result["findings"]
    assert finding["buses"] == ["=lonely"]
    assert finding["message"] == "bus =lonely has no branch"
    reasons = {one["rule"]: one["reason"] for one in answer["skipped"]}
    assert reasons["impedance-zero"] == "the grid lacks r, x, kinds of branches"


def test_the_import_report_counts_the_findings_and_names_the_path(api: TestClient) -> None:
    created = api.post("/graphs", json=_lonely_ring()).json()
    path = f"/graphs/{created['id']}/checks"
    assert created["report"]["checks"] == {"errors": 0, "warnings": 1, "notes": 0, "path": path}
    again = api.get(f"/graphs/{created['id']}").json()
    assert again["report"]["checks"]["path"] == path


def test_a_rule_is_switched_off_by_name(api: TestClient) -> None:
    graph_id = post_graph(api, _lonely_ring())
    for query in (
        "?without=isolated-bus,duplicate-bus",
        "?without=duplicate-bus&without=isolated-bus",
        "?without=%20isolated-bus%20,,duplicate-bus",
    ):
        answer = _check(api, graph_id, query)
        assert (answer["warnings"], answer["results"]) == (0, [])
        assert answer["without"] == ["duplicate-bus", "isolated-bus"]


def test_unknown_rules_get_422_with_the_valid_ones(api: TestClient) -> None:
    answer = api.get(f"/graphs/{post_graph(api)}/checks?without=isolated-buss,x,isolated-bus")
    problem = answer.json()
    assert answer.status_code == 422
    assert problem["error_count"] == 2
    assert "did you mean 'isolated-bus'" in problem["errors"][0]["problem"]
    assert all(name in problem["detail"] for name in RULES)


@pytest.mark.parametrize(
    "query",
    ["?limit=0", "?limit=101", "?limit=x", "?form=xml", "?other=1", f"?without={'x' * 2001}"],
)
def test_a_wrong_parameter_gets_422(api: TestClient, query: str) -> None:
    answer = api.get(f"/graphs/{post_graph(api)}/checks{query}")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_unknown_grid_gets_404(api: TestClient) -> None:
    assert api.get("/graphs/none/checks").status_code == 404


@pytest.mark.parametrize(
    ("query", "accept"),
    [("?form=csv", "application/json"), ("", "text/csv"), ("", "text/csv;q=0.9, */*")],
)
def test_the_answer_as_csv(api: TestClient, query: str, accept: str) -> None:
    graph_id = post_graph(api, _lonely_ring())
    answer = api.get(f"/graphs/{graph_id}/checks{query}", headers={"accept": accept})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert row["rule"] == "isolated-bus"
    assert row["elements"] == "'=lonely"  # a spreadsheet must not run it
    assert row["fix"] == RULES["isolated-bus"].fix
    assert row["findings_of_rule"] == "1"


@pytest.mark.parametrize("accept", ["*/*", "application/json, text/csv", "text/html"])
def test_json_is_the_default(api: TestClient, accept: str) -> None:
    answer = api.get(f"/graphs/{post_graph(api)}/checks", headers={"accept": accept})
    assert answer.headers["content-type"] == "application/json"


def test_a_regrouped_label_is_examined_when_it_is_added(api: TestClient) -> None:
    graph_id = post_graph(api)
    labels = {str(bus): "north" for bus in range(1, 7)} | {"3": "south"}
    created = api.post(f"/graphs/{graph_id}/labels", json={"name": "zone", "labels": labels})
    assert created.status_code == 201, created.text
    rules = {one["rule"] for one in _check(api, graph_id)["results"]}
    assert rules == {"region-unlike-neighbours"}


def test_the_examples_of_the_description_are_those_of_a_real_case(
    api: TestClient, sqlite_settings: Settings
) -> None:
    answer = _check(api, post_graph(api, _CASE))
    schemas = create_app(sqlite_settings).openapi()["components"]["schemas"]

    def example(schema: str, field: str) -> Any:
        return schemas[schema]["properties"][field]["examples"][0]

    for field in ("errors", "warnings", "notes"):
        assert answer[field] == example("ChecksOut", field)
    wanted = example("RuleResultOut", "rule")
    (result,) = (one for one in answer["results"] if one["rule"] == wanted)
    for field in ("severity", "title", "why", "fix", "count"):
        assert result[field] == example("RuleResultOut", field)
    (finding,) = result["findings"]
    for field in ("message", "buses", "element_count", "numbers"):
        assert finding[field] == example("FindingOut", field)
    for field in ("row", "from", "to", "kind"):
        assert finding["branches"][0][field] == example("BranchRefOut", field)
    assert {
        "rule": example("SkippedRuleOut", "rule"),
        "reason": example("SkippedRuleOut", "reason"),
    } in answer["skipped"]


def test_the_answer_has_the_fields_of_its_description(
    api: TestClient, sqlite_settings: Settings
) -> None:
    answer = _check(api, post_graph(api, _lonely_ring()))
    schemas = create_app(sqlite_settings).openapi()["components"]["schemas"]
    assert set(answer) == set(schemas["ChecksOut"]["properties"])
    assert set(answer["results"][0]) == set(schemas["RuleResultOut"]["properties"])
    assert set(answer["results"][0]["findings"][0]) == set(schemas["FindingOut"]["properties"])
