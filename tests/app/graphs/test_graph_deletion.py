from uuid import uuid4

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from app.jobs.states import ENDED
from app.storage.columns import Base
from app.storage.db import Database, current_time
from app.storage.tables import ActiveModelRow, JobRow, LabelRow, ModelRow, PredictionRow
from tests.app.samples import post_graph, put_model


def put_job(api: TestClient, graph_id: str, state: str) -> str:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.writing() as session:
        now = current_time(session)
        row = JobRow(id=uuid4().hex, kind="train", payload={}, state=state, progress={})
        row.queue = "cpu"
        row.graph_id, row.created_at, row.dispatched_at = graph_id, now, now
        row.finished_at = now if state in ENDED else None
        session.add(row)
        return row.id


def count_rows(api: TestClient, table: type[Base]) -> int:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_deleted_grid_is_gone_with_its_labels_models_and_predictions(
    any_api: TestClient,
) -> None:
    graph_id = post_graph(any_api)
    put_model(any_api, graph_id)
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert any_api.get(f"/graphs/{graph_id}/topology").status_code == 404
    for table in (LabelRow, ModelRow, PredictionRow, ActiveModelRow):
        assert count_rows(any_api, table) == 0


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_grid_that_a_job_uses_is_kept(any_api: TestClient, state: str) -> None:
    graph_id = post_graph(any_api)
    job_id = put_job(any_api, graph_id, state)
    answer = any_api.delete(f"/graphs/{graph_id}")
    assert answer.status_code == 409
    assert job_id in answer.json()["detail"]
    assert answer.json()["type"] == "/problems/graph-in-use"
    assert any_api.get(f"/graphs/{graph_id}").status_code == 200


def test_an_ended_job_does_not_block_deletion_and_outlives_the_grid(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    put_job(any_api, graph_id, "succeeded")
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert count_rows(any_api, JobRow) == 1


def test_a_grid_is_deleted_once(api: TestClient) -> None:
    graph_id = post_graph(api)
    assert api.delete(f"/graphs/{graph_id}").status_code == 204
    assert api.delete(f"/graphs/{graph_id}").status_code == 404


def test_a_grid_can_be_stored_again_after_its_deletion(api: TestClient) -> None:
    graph_id = post_graph(api)
    api.delete(f"/graphs/{graph_id}")
    assert post_graph(api) != graph_id
