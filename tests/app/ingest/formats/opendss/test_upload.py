"""An OpenDSS archive over HTTP: stored with its phases as labels."""

from starlette.testclient import TestClient

from tests.app.ingest.formats.opendss.circuits import FEEDER, pack
from tests.app.samples import ring


def test_an_archive_is_stored_with_its_phases(api: TestClient) -> None:
    archive = pack({"feeder/Master.dss": FEEDER + "Redirect absent.dss\n"})
    answer = api.post("/graphs", files={"file": ("feeder.zip", archive)})
    assert answer.status_code == 201
    report = answer.json()["report"]
    assert report["format"] == "opendss"
    assert report["files_missing"] == ["absent.dss"]
    assert report["labels"]["phases"] == {"ABC": 3, "B": 2, "C": 1}
    labels = api.get(f"/graphs/{answer.json()['id']}/labels").json()["items"]
    phases = next(one for one in labels if one["name"] == "phases")
    assert "split-phase" in phases["definition"]
    assert phases["source"] == "file"


def test_phases_cannot_be_computed_for_a_grid_without_them(api: TestClient) -> None:
    graph_id = api.post("/graphs", json=ring()).json()["id"]
    answer = api.post(f"/graphs/{graph_id}/labels", json={"kind": "phases"})
    assert answer.status_code == 422
    assert "comes only with the file of a grid" in answer.text
