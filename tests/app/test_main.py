import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from app.main import create_app
from app.settings import Settings

USE_THE_API = """
import json, sys
from starlette.testclient import TestClient
from app.main import create_app
from app.settings import Settings
with TestClient(create_app(Settings())) as api:
    started = sorted({name.partition(".")[0] for name in sys.modules})
    graph = api.post("/graphs", json={"case": "case9"}).json()
    paths = ["/", "/docs", "/openapi.json", "/graphs", "/jobs", "/models", "/predict", "/readyz"]
    statuses = [api.get(path).status_code for path in paths]
    train = api.post("/train", json={"graph_id": graph["id"], "label": "role"}).status_code
    used = sorted({name.partition(".")[0] for name in sys.modules})
    print(json.dumps({"started": started, "used": used, "statuses": statuses, "train": train}))
"""
HEAVY = {"torch", "torch_geometric", "pandapower", "pandas", "numba", "sklearn", "optuna", "plotly"}


@pytest.fixture(scope="module")
def process_of_the_api(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("process")
    shutil.copy(migrated_sqlite, folder)
    environment = {"LEVYGRID_DATA_DIR": str(folder), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", USE_THE_API], env=environment, capture_output=True, check=True
    )
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def test_the_api_starts_without_heavy_libraries(process_of_the_api: dict[str, Any]) -> None:
    assert HEAVY.isdisjoint(process_of_the_api["started"])


def test_the_api_reads_a_case_and_queues_training_without_heavy_libraries(
    process_of_the_api: dict[str, Any],
) -> None:
    assert process_of_the_api["statuses"] == [200, 200, 200, 200, 200, 200, 409, 200]
    assert process_of_the_api["train"] == 202
    assert HEAVY.isdisjoint(process_of_the_api["used"])


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    schema: dict[str, Any] = create_app(Settings(database_url="sqlite://")).openapi()
    return schema


def operations_of(description: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method} {path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_operation_documents_its_problems(description: dict[str, Any]) -> None:
    for name, operation in operations_of(description):
        for statuses in ("4XX", "5XX"):
            content = operation["responses"][statuses]["content"]
            reference = content["application/problem+json"]["schema"]["$ref"]
            assert reference == "#/components/schemas/Problem", name
        assert "422" not in operation["responses"], name


def test_every_operation_says_what_it_does(description: dict[str, Any]) -> None:
    assert [
        name for name, operation in operations_of(description) if not operation.get("description")
    ] == []


def test_every_operation_has_a_summary_of_its_own(description: dict[str, Any]) -> None:
    summaries = {name: operation["summary"] for name, operation in operations_of(description)}
    automatic = [
        name
        for name, operation in operations_of(description)
        if operation["summary"] == automatic_summary(name, operation["operationId"])
    ]
    assert automatic == []
    assert len({*summaries.values()}) == len(summaries), "two operations have the same summary"
    assert [
        text for text in summaries.values() if len(text.split()) < 2 or text.endswith(".")
    ] == []


def automatic_summary(name: str, operation_id: str) -> str:
    """The summary that FastAPI derives from the name of the function if none is written."""
    method, path = name.split(" ")
    function = operation_id.removesuffix(f"{re.sub(r'[^a-zA-Z0-9]', '_', path)}_{method}")
    return function.replace("_", " ").title()


def test_the_automatic_summary_of_an_operation_is_recognised() -> None:
    app = FastAPI()

    @app.get("/grids/{grid_id}")
    def get_the_grid(grid_id: str) -> str:
        return grid_id

    ((name, operation),) = operations_of(app.openapi())
    assert operation["summary"] == automatic_summary(name, operation["operationId"])


def test_every_answer_in_json_has_an_example(description: dict[str, Any]) -> None:
    without = [
        name
        for name, operation in operations_of(description)
        for status, answer in operation["responses"].items()
        if status.startswith("2") and "application/json" in answer.get("content", {})
        if not has_example(answer["content"]["application/json"]["schema"], description)
    ]
    assert without == []


def has_example(schema: Any, description: dict[str, Any]) -> bool:
    """Whether a schema, or something it consists of, comes with an example."""
    if isinstance(schema, list):
        return any(has_example(part, description) for part in schema)
    if not isinstance(schema, dict):
        return False
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return has_example(description["components"]["schemas"][name], description)
    if "example" in schema or "examples" in schema:
        return True
    return any(has_example(part, description) for part in schema.values())


def test_every_reference_of_the_description_can_be_followed(description: dict[str, Any]) -> None:
    known = description["components"]["schemas"]
    text = json.dumps(description)
    wanted = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert wanted <= known.keys()
    assert '"#/$defs' not in text
