from pathlib import Path

from starlette.testclient import TestClient

from app.settings import Settings
from tests.app.conftest import MakeApi


def test_the_service_is_healthy_without_a_database_but_not_ready(
    make_api: MakeApi, tmp_path: Path
) -> None:
    api = make_api(Settings(database_url=f"sqlite:///{tmp_path}/no/such/folder.db"))
    assert api.get("/healthz").json() == {"status": "ok"}
    answer = api.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/database-unusable"


def test_the_service_is_not_ready_before_the_database_is_migrated(
    make_api: MakeApi, tmp_path: Path
) -> None:
    api = make_api(Settings(data_dir=tmp_path))
    answer = api.get("/readyz")
    assert answer.status_code == 503
    assert "levygrid migrate" in answer.json()["detail"]


def test_the_service_is_ready_on_a_migrated_database(any_api: TestClient) -> None:
    assert any_api.get("/readyz").status_code == 200
