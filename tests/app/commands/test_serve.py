import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.processes import PATIENCE, Program, running, wait_for


def settings_of(folder: Path, **more: str) -> dict[str, str]:
    return {"data_dir": str(folder / "data"), "port": "0", "first_start_demo": "false"} | more


def address_of(service: Program) -> str:
    found = wait_for(lambda: re.search(r"Levygrid is at (http://\S+)", service.output), "start")
    return found.group(1)


def get(service: Program, path: str) -> Any:
    return httpx.get(address_of(service) + path, timeout=PATIENCE).raise_for_status().json()


def find_job(service: Program, label: str) -> dict[str, Any] | None:
    """Return the only training job with this label, if there is one yet."""
    jobs = [job for job in get(service, "/jobs")["items"] if job["label"] == label]
    assert len(jobs) <= 1
    return jobs[0] if jobs else None


def wait_for_model(service: Program, label: str) -> dict[str, Any]:
    def find() -> dict[str, Any] | None:
        job = find_job(service, label)
        return job if job is not None and job["state"] == "succeeded" else None

    return wait_for(find, f"the model of {label}")


def ends_with(command: list[str], settings: dict[str, str], folder: Path) -> tuple[int, str]:
    with running(command, settings, folder) as program:
        code = program.wait()
        assert not program.survivors()
        return code, program.output


@pytest.mark.long
def test_a_first_start_trains_two_grids_and_a_second_keeps_them(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, first_start_demo="true", search_seconds="5")
    with running(["serve"], settings, tmp_path) as service:
        small = wait_for_model(service, "role")
        texas = wait_for_model(service, "surveyed_zone")
        newest, oldest = get(service, "/graphs")["items"]
        assert (newest["bus_count"], oldest["bus_count"]) == (2000, 118)
        first = get(service, "/predict/69")
        zone = get(service, f"/predict/1001?graph_id={texas['graph_id']}")
        service.send(signal.SIGINT)
        assert service.wait() == 0
        assert not service.survivors()
        assert "Traceback" not in service.output
    assert first["class"] in {"neither", "load", "generator"}
    assert first["model_id"] == small["model_id"]
    assert zone["label"] == "surveyed_zone"
    with running(["serve"], settings, tmp_path) as service:
        assert get(service, "/predict/69") == first
        wait_for(lambda: "worker started" in service.output, "a worker")
        again = find_job(service, "role")
        assert again is not None
        assert again["id"] == small["id"]
        assert len(get(service, "/graphs")["items"]) == 2


def test_the_service_answers_before_the_first_model_is_there(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, first_start_demo="true")
    with running(["serve"], settings, tmp_path) as service:
        answer = httpx.get(address_of(service) + "/predict/1")
        assert answer.status_code == 409
        service.send(signal.SIGTERM)
        assert service.wait() == 0
        assert not service.survivors()


def test_a_second_service_on_the_same_folder_refuses_to_start(tmp_path: Path) -> None:
    with running(["serve"], settings_of(tmp_path), tmp_path) as service:
        address_of(service)
        code, output = ends_with(["serve"], settings_of(tmp_path), tmp_path)
        assert get(service, "/healthz")
    assert code == 1
    assert output.count("\n") == 1
    assert f"already runs on the data folder {tmp_path / 'data'}" in output
    assert str(service.pid) in output


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, output = ends_with(["serve"], settings_of(tmp_path, port=port), tmp_path)
    assert code == 1
    assert output.count("\n") == 1
    assert f"Port {port} of 127.0.0.1 is in use" in output


def test_an_unwritable_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = settings_of(tmp_path, data_dir=str(tmp_path / "file" / "data"))
    code, output = ends_with(["serve"], settings, tmp_path)
    assert code == 1
    assert output.count("\n") == 1
    assert "cannot be written to" in output


def test_invalid_settings_are_reported_in_one_line(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, port="eighty", workers="-1")
    code, output = ends_with(["serve"], settings, tmp_path)
    assert code == 1
    assert output.count("\n") == 1
    assert "LEVYGRID_PORT" in output
    assert "LEVYGRID_WORKERS" in output


def test_an_unreachable_database_is_reported_in_one_line(tmp_path: Path) -> None:
    url = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    code, output = ends_with(["serve"], settings_of(tmp_path, database_url=url), tmp_path)
    assert code == 1
    assert output.count("\n") == 1
    assert "database" in output


def test_a_killed_worker_is_started_again(tmp_path: Path) -> None:
    with running(["serve"], settings_of(tmp_path), tmp_path) as service:
        (worker,) = wait_for(lambda: service.children("app.worker.local"), "a worker")
        worker.kill()
        (successor,) = wait_for(
            lambda: [p for p in service.children("app.worker.local") if p.pid != worker.pid],
            "another worker",
        )
        assert successor.pid != worker.pid


def test_workers_do_not_outlive_a_killed_service(tmp_path: Path) -> None:
    with running(["serve"], settings_of(tmp_path, workers="2"), tmp_path) as service:
        wait_for(lambda: len(service.children("app.worker.local")) == 2, "two workers")
        wait_for(lambda: service.output.count("worker started") == 2, "their start")
        service.send(signal.SIGKILL)
        wait_for(lambda: not service.survivors(), "the end of the workers")


def test_the_api_process_imports_neither_torch_nor_pandapower() -> None:
    code = (
        "import sys, app.commands.serve; "
        "print([name for name in ('torch', 'pandapower', 'numba', 'sklearn', 'celery') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_api_stays_responsive_while_a_job_runs(tmp_path: Path) -> None:
    with running(["serve"], settings_of(tmp_path), tmp_path) as service:
        with httpx.Client(base_url=address_of(service), timeout=PATIENCE) as client:
            graph = client.post("/graphs", json={"case": "case14"}).json()
            body = {"graph_id": graph["id"], "config": {"epochs": 100_000, "patience": None}}
            started = client.post("/train", json=body)
            assert started.status_code == 202, started.text
            place = started.headers["location"]
            wait_for(lambda: client.get(place).json()["epoch"], "an epoch")
            for _ in range(20):
                client.get("/healthz").raise_for_status()
            # An API that waits for its jobs would answer after the last epoch, not before.
            assert client.get(place).json()["state"] == "running"
        service.send(signal.SIGINT)
        assert service.wait() == 0
        assert not service.survivors()


def test_help_names_every_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "--help"], capture_output=True, text=True, check=True
    )
    for command in ("serve", "worker", "migrate", "demo", "bench", "settings", "--version"):
        assert command in done.stdout


@pytest.mark.long
def test_several_processes_serve_one_port_and_a_killed_one_is_replaced(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, api_processes="2", workers="0")
    with running(["serve"], settings, tmp_path) as service:
        address = address_of(service)
        wait_for(lambda: len(service.children("app.server")) == 2, "two processes")
        first, second = service.children("app.server")
        first.kill()
        for _ in range(20):  # each on a new connection, which the other process accepts
            httpx.get(f"{address}/healthz", timeout=PATIENCE).raise_for_status()
        wait_for(
            lambda: {p.pid for p in service.children("app.server")} - {first.pid, second.pid},
            "another process",
        )
        assert "api process ended" in service.output
        service.send(signal.SIGTERM)
        assert service.wait() == 0
        assert not service.survivors()
        assert "Traceback" not in service.output


@pytest.mark.long
def test_api_processes_do_not_outlive_a_killed_service(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, api_processes="2", workers="0")
    with running(["serve"], settings, tmp_path) as service:
        address_of(service)
        wait_for(lambda: len(service.children("app.server")) == 2, "two processes")
        service.send(signal.SIGKILL)
        wait_for(lambda: not service.survivors(), "the end of the processes")
