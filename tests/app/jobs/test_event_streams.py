"""Streams of events of a real service with its worker: live, resumed, given up."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.samples import ring
from tests.app.server_sent_events import Event, parse_events
from tests.processes import PATIENCE, Program, running, wait_for

LONG = {"epochs": 100_000, "patience": None}


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    quick = {"poll_seconds": "0.1", "checkpoint_seconds": "0.5", "event_streams": "1"}
    base = {"data_dir": str(tmp_path / "data"), "port": "0", "first_start_demo": "false"} | quick
    if request.param == "postgres":
        base["database_url"] = request.getfixturevalue("postgres_url")
    return base


def client_of(service: Program) -> httpx.Client:
    found = wait_for(lambda: re.search(r"Levygrid is at (http://\S+)", service.output), "start")
    return httpx.Client(base_url=found.group(1), timeout=PATIENCE)


def start_job(client: httpx.Client, **config: Any) -> str:
    graph_id = client.post("/graphs", json=ring(30)).raise_for_status().json()["id"]
    body = {"graph_id": graph_id, "baselines": False, "config": config}
    job_id: str = client.post("/train", json=body).raise_for_status().json()["job_id"]
    return job_id


@contextmanager
def stream(client: httpx.Client, job_id: str, after: int = 0) -> Iterator[Iterator[Event]]:
    headers = {"Last-Event-ID": str(after)} if after else {}
    with client.stream("GET", f"/jobs/{job_id}/events", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        yield read_events(answer)


def read_events(answer: httpx.Response) -> Iterator[Event]:
    block = ""
    for line in answer.iter_lines():
        block += f"{line}\n"
        if not line:
            yield from parse_events(block)
            block = ""


def read_until(events: Iterator[Event], kind: str) -> list[Event]:
    seen = []
    for event in events:
        seen.append(event)
        if event.kind == kind:
            break
    return seen


def test_a_stream_follows_a_job_from_the_queue_to_its_model(
    settings: dict[str, str], tmp_path: Path
) -> None:
    with running(["serve"], settings, tmp_path) as service, client_of(service) as client:
        job_id = start_job(client, epochs=20)
        with stream(client, job_id) as events:
            seen = list(events)
        job = client.get(f"/jobs/{job_id}").json()
    assert [event.number for event in seen] == list(range(1, len(seen) + 1))
    assert [event.data["state"] for event in seen if event.kind == "state"] == [
        "queued",
        "running",
    ]
    epochs = [event.data["epoch"] for event in seen if event.kind == "progress"]
    assert epochs == sorted(epochs)
    assert epochs[-1] == job["epoch"]
    assert (seen[-1].kind, seen[-1].data["state"]) == ("end", "succeeded")
    assert seen[-1].data["result"]["model_id"] == job["model_id"]


@pytest.mark.parametrize(
    "settings", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True
)
def test_a_stream_resumes_after_a_restart_of_the_service(
    settings: dict[str, str], tmp_path: Path
) -> None:
    with running(["serve"], settings, tmp_path) as service, client_of(service) as client:
        job_id = start_job(client, **LONG)
        with stream(client, job_id) as events:
            seen = read_until(events, "progress")
            service.send(signal.SIGTERM)
            seen += list(events)  # the service ends the stream, not the client
        assert service.wait() == 0
        assert "Traceback" not in service.output
    with running(["serve"], settings, tmp_path) as service, client_of(service) as client:
        with stream(client, job_id, after=seen[-1].number) as events:
            seen += read_until(events, "progress")
            client.delete(f"/jobs/{job_id}")
            seen += list(events)
        with stream(client, job_id) as events:
            assert list(events) == seen
    assert [event.number for event in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].data["state"] == "cancelled"


def test_a_disconnected_client_frees_its_stream(settings: dict[str, str], tmp_path: Path) -> None:
    settings |= {"workers": "0"}
    with running(["serve"], settings, tmp_path) as service, client_of(service) as client:
        job_id = start_job(client)
        path = f"/jobs/{job_id}/events"
        with stream(client, job_id) as events:
            next(events)
            assert httpx.get(f"{client.base_url}{path}").status_code == 503

        def is_free() -> bool:
            with client.stream("GET", path) as answer:
                return answer.status_code == 200

        wait_for(is_free, "that the service noticed", seconds=10)
