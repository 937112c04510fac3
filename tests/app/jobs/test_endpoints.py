import pytest
from starlette.testclient import TestClient

from app.http.problems import describe_failure
from app.jobs import service
from app.jobs.states import Claim, LeaseTerms
from app.storage.documents import Curves, JobProgress
from ml.errors import TrainingDiverged
from tests.app.samples import post_graph, put_model, ring


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api, ring(30))


def enqueue(api: TestClient, graph_id: str) -> str:
    job_id: str = api.post("/train", json={"graph_id": graph_id}).json()["job_id"]
    return job_id


def claim(api: TestClient) -> Claim:
    terms = LeaseTerms("worker", 60, 3)
    with api.app.state.database.writing() as session:  # type: ignore[attr-defined]  # ASGI app
        row = service.claim_next(session, terms)
    assert row is not None
    return Claim(row.id, row.attempt)


def test_a_running_job_shows_its_progress_and_curves(any_api: TestClient, graph_id: str) -> None:
    job_id = enqueue(any_api, graph_id)
    held = claim(any_api)
    curves: Curves = {"epoch": [1, 2], "train_loss": [1.0, 0.5], "validation_loss": [1.1, None]}
    progress: JobProgress = {"epoch": 2, "epochs": 300, "train_loss": 0.5, "curves": curves}
    with any_api.app.state.database.writing() as session:  # type: ignore[attr-defined]  # ASGI
        service.report_progress(session, held, progress)
    job = any_api.get(f"/jobs/{job_id}").json()
    assert (job["state"], job["epoch"], job["epochs"]) == ("running", 2, 300)
    assert job["train_loss"] == 0.5
    assert job["curves"]["validation_loss"] == [1.1, None]
    assert job["started_at"] is not None
    assert job["finished_at"] is None


def test_a_failed_job_shows_its_problem(any_api: TestClient, graph_id: str) -> None:
    job_id = enqueue(any_api, graph_id)
    held = claim(any_api)
    with any_api.app.state.database.writing() as session:  # type: ignore[attr-defined]  # ASGI
        problem = describe_failure(TrainingDiverged(7, float("inf")))
        service.finish_failed(session, held, problem)
    job = any_api.get(f"/jobs/{job_id}").json()
    assert (job["state"], job["model_id"]) == ("failed", None)
    assert job["error"] == problem


def test_a_queued_job_is_cancelled_at_once_and_only_once(
    any_api: TestClient, graph_id: str
) -> None:
    job_id = enqueue(any_api, graph_id)
    first = any_api.delete(f"/jobs/{job_id}")
    assert (first.status_code, first.json()["state"]) == (200, "cancelled")
    again = any_api.delete(f"/jobs/{job_id}")
    assert again.status_code == 409
    assert again.json()["type"] == "/problems/job-ended"


def test_a_running_job_is_asked_to_stop(any_api: TestClient, graph_id: str) -> None:
    job_id = enqueue(any_api, graph_id)
    claim(any_api)
    answer = any_api.delete(f"/jobs/{job_id}")
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["cancel_requested"]) == ("running", True)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_job_is_404(api: TestClient, method: str) -> None:
    answer = api.request(method, "/jobs/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_jobs_come_in_pages_newest_first(any_api: TestClient, graph_id: str) -> None:
    made = [enqueue(any_api, graph_id) for _ in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = any_api.get("/jobs", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
        seen += [job["id"] for job in page.json()["items"]]
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_jobs_are_filtered_by_state_and_grid(any_api: TestClient, graph_id: str) -> None:
    other = post_graph(any_api, ring(31))
    mine, others, cancelled = (enqueue(any_api, g) for g in (graph_id, other, graph_id))
    any_api.delete(f"/jobs/{cancelled}")

    def listed(**filters: str) -> set[str]:
        return {job["id"] for job in any_api.get("/jobs", params=filters).json()["items"]}

    assert listed(graph_id=other) == {others}
    assert listed(state="cancelled") == {cancelled}
    assert listed(state="queued", graph_id=graph_id) == {mine}


@pytest.mark.parametrize("query", ["state=asleep", "limit=0", "limit=9999", "cursor=x"])
def test_an_invalid_query_is_a_4xx_problem(api: TestClient, query: str) -> None:
    answer = api.get(f"/jobs?{query}")
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_job_names_its_model_only_while_the_model_exists(
    any_api: TestClient, graph_id: str
) -> None:
    job_id = enqueue(any_api, graph_id)
    model_id = put_model(any_api, graph_id)
    database = any_api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    held = claim(any_api)
    with database.writing() as session:
        service.finish_succeeded(session, held, {"model_id": model_id})
    assert any_api.get(f"/jobs/{job_id}").json()["model_id"] == model_id
    assert any_api.get("/jobs").json()["items"][0]["model_id"] == model_id
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    job = any_api.get(f"/jobs/{job_id}").json()
    assert (job["graph_id"], job["model_id"]) == (None, None)
    assert any_api.get("/jobs").json()["items"][0]["model_id"] is None
