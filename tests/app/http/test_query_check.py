import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.app.samples import post_graph, put_model

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"[?&]([a-z_]+)=")


def faults_of(api: TestClient, address: str) -> dict[str, str]:
    answer = api.get(address)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}


@pytest.mark.parametrize(
    ("address", "parameter", "known"),
    [
        ("/jobs?foo=1", "foo", ["limit", "cursor", "state", "graph_id", "graph"]),
        (
            "/predict?grid=x",
            "grid",
            [
                *("graph_id", "graph", "model_id", "label", "coverage", "form"),
                *("class", "source", "order", "limit", "abstain"),
            ],
        ),
        ("/predict/1?grid=x", "grid", ["graph_id", "graph", "model_id", "label", "coverage"]),
        ("/models?grid=x", "grid", ["limit", "cursor", "graph_id", "graph", "label"]),
    ],
)
def test_an_unknown_parameter_is_refused_and_the_supported_ones_are_named(
    api: TestClient, address: str, parameter: str, known: list[str]
) -> None:
    problem = faults_of(api, address)[f"query.{parameter}"]
    listed = problem.partition("supported: ")[2].partition(";")[0]
    assert sorted(listed.split(", ")) == sorted(known)


def test_a_parameter_that_looks_like_another_gets_a_hint(api: TestClient) -> None:
    assert "did you mean 'graph_id'?" in faults_of(api, "/predict/1?graph_ids=x")["query.graph_ids"]


def test_every_unknown_parameter_is_named_at_once(api: TestClient) -> None:
    assert set(faults_of(api, "/jobs?a=1&limit=2&b=2&a=3")) == {"query.a", "query.b"}


def test_an_endpoint_without_parameters_reports_that(api: TestClient) -> None:
    assert "it takes no parameters" in faults_of(api, "/problems?x=1")["query.x"]


def test_supported_parameters_are_accepted(api: TestClient) -> None:
    graph_id = post_graph(api)
    model_id = put_model(api, graph_id)
    query = f"graph_id={graph_id}&model_id={model_id}&label=label"
    assert api.get(f"/predict/1?{query}").status_code == 200
    assert api.get(f"/models/{model_id}/compare?with={model_id}").status_code != 422


@pytest.mark.parametrize("address", ["/?graph=1&model=2&from=mail", "/static/favicon.svg?v=1"])
def test_pages_and_their_files_take_any_parameter(api: TestClient, address: str) -> None:
    assert api.get(address).status_code == 200


def test_documents_name_only_parameters_that_exist() -> None:
    description = create_app(Settings(database_url="sqlite://")).openapi()
    known = {
        parameter["name"]
        for path in description["paths"].values()
        for operation in path.values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    }
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        named = {
            name
            for quoted in re.findall(r"`[^`\n]*`|localhost:\S+", document.read_text())
            for name in NAMED.findall(quoted)
        }
        assert named <= known, document
