import inspect

import pytest
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from app import errors
from app.errors import GridRejected
from app.http.problems import PROBLEMS, describe_failure
from app.main import create_app
from app.settings import Settings
from app.storage.retry import DATABASE_AWAY
from ml import errors as ml_errors
from ml.errors import Fault, InvalidHyperparameter, TrainingDiverged

ERROR_CLASSES = [
    found
    for module in (errors, ml_errors)
    for _, found in inspect.getmembers(module, inspect.isclass)
    if issubclass(found, Exception) and found.__module__ == module.__name__
]


@pytest.mark.parametrize("error_class", ERROR_CLASSES)
def test_every_error_class_has_a_place_in_the_table(error_class: type[Exception]) -> None:
    assert error_class in PROBLEMS


def test_no_two_titles_share_a_type() -> None:
    titles: dict[str, set[str]] = {}
    for kind in PROBLEMS.values():
        titles.setdefault(kind.slug, set()).add(kind.title)
    assert [slug for slug, found in titles.items() if len(found) > 1] == []


def test_a_failed_job_stores_type_title_status_and_detail() -> None:
    assert describe_failure(TrainingDiverged(7, float("inf"))) == {
        "type": "/problems/diverged",
        "title": "Training diverged",
        "status": 422,
        "detail": "training diverged at epoch 7: loss inf",
    }


def test_a_subclass_that_is_not_in_the_table_looks_like_its_parent() -> None:
    class BusUnplugged(errors.BusNotFound):
        pass

    assert describe_failure(BusUnplugged("gone"))["type"] == "/problems/bus-not-found"


def test_faults_of_the_core_are_listed_like_ours() -> None:
    error = InvalidHyperparameter([Fault("alpha", "2 is outside (0, 1)")])
    assert describe_failure(error)["errors"] == [
        {"where": "alpha", "problem": "2 is outside (0, 1)"}
    ]


def test_a_thousand_faults_are_shown_and_all_are_counted() -> None:
    body = describe_failure(GridRejected("bad", [Fault(str(n), "wrong") for n in range(1500)]))
    assert len(body["errors"]) == 1000
    assert body["error_count"] == 1500


def test_places_of_invalid_values_read_like_paths() -> None:
    entry = {"loc": ("body", "split", "fractions", 0), "msg": "too small", "type": "x"}
    body = describe_failure(RequestValidationError([entry]))
    assert body["errors"] == [{"where": "body.split.fractions[0]", "problem": "too small"}]


@pytest.fixture
def failing_api(sqlite_settings: Settings) -> TestClient:
    """The API with addresses that fail in ways we cannot foresee."""
    app: FastAPI = create_app(sqlite_settings)

    @app.get("/crash")
    def crash() -> None:
        raise ZeroDivisionError("secret path /srv/data")

    @app.get("/no-database")
    def lose_database() -> None:
        raise OperationalError("SELECT secret", {}, Exception("secret host"))

    return TestClient(app)


def test_an_unknown_error_is_a_500_without_detail(failing_api: TestClient) -> None:
    answer = failing_api.get("/crash")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/internal-error"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "secret" not in answer.text
    assert "ZeroDivision" not in answer.text


def test_an_unreachable_database_is_a_503_without_detail(failing_api: TestClient) -> None:
    answer = failing_api.get("/no-database")
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/database-unusable"
    assert "secret" not in answer.text


@pytest.mark.parametrize("error_class", DATABASE_AWAY)
def test_every_error_that_workers_retry_is_a_503_for_clients(
    error_class: type[Exception],
) -> None:
    assert PROBLEMS[error_class].status == 503


def test_an_unknown_address_is_a_problem(api: TestClient) -> None:
    answer = api.get("/no/such/address")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["type"] == "/problems/not-found"
    assert body["instance"] == "/no/such/address"


def test_a_wrong_method_is_a_problem_that_names_the_allowed_methods(api: TestClient) -> None:
    answer = api.patch("/graphs")
    assert answer.status_code == 405
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/method-not-allowed"
    assert "allow" in answer.headers


def test_a_wrong_query_is_a_problem_that_names_it(api: TestClient) -> None:
    answer = api.get("/models", params={"limit": "many"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "query.limit"


def test_the_type_of_a_problem_is_the_path_of_its_description(api: TestClient) -> None:
    problem = api.get("/models/none").json()
    assert api.get(problem["type"]).json() == {
        "type": "/problems/model-not-found",
        "title": "Model not found",
        "status": 404,
    }
    assert api.get("/problems/none").status_code == 404


def test_every_kind_of_problem_is_listed_once(api: TestClient) -> None:
    listed = [kind["type"] for kind in api.get("/problems").json()["items"]]
    assert len(listed) == len(set(listed))
    assert {f"/problems/{kind.slug}" for kind in PROBLEMS.values()} <= set(listed)
    assert "/problems/method-not-allowed" in listed
