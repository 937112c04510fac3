"""Dockerfile, docker-compose.yml, Makefile and CI refer only to things that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url
from typer.main import get_command

from app.cli import cli
from app.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OWN_SERVICES = {
    name: service for name, service in COMPOSE["services"].items() if "build" in service
}
COMMANDS = set(get_command(cli).commands)  # type: ignore[attr-defined]
VARIABLES = {f"LEVYGRID_{name.upper()}" for name in Settings.model_fields}
PORT = str(Settings.model_fields["port"].default)


def instructions(keyword: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.split(None, 1)[1] for line in joined.splitlines() if line.startswith(keyword)]


def test_every_copied_path_of_the_dockerfile_exists() -> None:
    sources = [
        source
        for line in instructions("COPY")
        if not line.startswith("--from")
        for source in line.split()[:-1]
    ]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_everything_the_program_needs_at_run_time_is_copied() -> None:
    copied = " ".join(instructions("COPY")).split()
    assert {"app", "ml", "migrations", "pyproject.toml", "requirements.txt"} <= set(copied)


def test_the_dockerfile_starts_a_command_that_exists() -> None:
    assert instructions("ENTRYPOINT") == ['["levygrid"]']
    (command,) = instructions("CMD")[-1:]
    assert yaml.safe_load(command)[0] in COMMANDS


def test_the_image_takes_the_pinned_torch_from_the_index_of_its_build_argument() -> None:
    (pinned,) = re.findall(r"^torch==\S+$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert any("${TORCH_INDEX}" in line and line.endswith(pinned) for line in instructions("RUN"))
    assert "TORCH_CHANNEL=cpu" in instructions("ARG")


def test_the_image_does_not_run_as_root() -> None:
    assert instructions("USER") == ["levygrid"]


def test_every_variable_is_one_the_settings_read() -> None:
    named = set(re.findall(r"LEVYGRID_[A-Z_]+", DOCKERFILE))
    for service in COMPOSE["services"].values():
        named |= (
            {name for name in service["environment"] if name.startswith("LEVYGRID_")}
            if ("environment" in service)
            else set()
        )
    assert named
    assert named - VARIABLES == set()


def test_image_health_check_and_published_port_agree_with_the_default_port() -> None:
    assert instructions("EXPOSE") == [PORT]
    assert f"127.0.0.1:{PORT}/healthz" in DOCKERFILE
    assert COMPOSE["services"]["api"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert COMPOSE["services"]["api"]["environment"]["LEVYGRID_PORT"] == PORT


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_every_service_runs_a_command_that_exists(name: str) -> None:
    assert OWN_SERVICES[name]["command"][0] in COMMANDS


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_every_service_points_to_the_database_and_broker_of_this_file(name: str) -> None:
    environment = OWN_SERVICES[name]["environment"]
    database = make_url(environment["LEVYGRID_DATABASE_URL"].split("{")[0] + "x@postgres:5432/x")
    assert database.drivername == "postgresql+psycopg"
    assert "@postgres:5432/" in environment["LEVYGRID_DATABASE_URL"]
    broker = make_url(environment["LEVYGRID_BROKER_URL"])
    assert (broker.drivername, broker.host) == ("redis", "broker")
    assert {"postgres", "broker"} <= set(COMPOSE["services"])


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_every_command_has_options_that_exist(name: str) -> None:
    command, *given = OWN_SERVICES[name]["command"]
    known = get_command(cli).commands[command].params  # type: ignore[attr-defined]
    options = {option for one in known for option in one.opts}
    assert {word for word in given if word.startswith("--")} <= options


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_service_restarts_and_keeps_to_limits(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["restart"] in {"unless-stopped", "on-failure"}
    limits = service["deploy"]["resources"]["limits"]
    assert float(limits["cpus"]) > 0
    assert re.fullmatch(r"\d+[mg]", limits["memory"])
    assert service["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", sorted(set(COMPOSE["services"]) - {"migrate", "api"}))
def test_every_service_that_stays_has_a_health_check(name: str) -> None:
    # The API has that of its image, the migration ends by itself.
    assert COMPOSE["services"][name]["healthcheck"]["test"]


def test_the_health_check_of_a_worker_is_a_module_of_ours() -> None:
    *_, module = COMPOSE["services"]["worker"]["healthcheck"]["test"]
    assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def test_nothing_is_published_beyond_this_machine() -> None:
    published = [
        port for service in COMPOSE["services"].values() for port in service.get("ports", [])
    ]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_every_service_starts_after_its_dependencies() -> None:
    for name in ("api", "worker", "worker-gpu"):
        assert COMPOSE["services"][name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "broker": {"condition": "service_healthy"},
        }
    waits_for = COMPOSE["services"]["migrate"]["depends_on"]
    assert waits_for == {"postgres": {"condition": "service_healthy"}}


def test_the_gpu_worker_is_started_on_request_only_and_gets_a_gpu() -> None:
    worker = COMPOSE["services"]["worker-gpu"]
    assert worker["profiles"] == ["gpu"]
    assert worker["command"] == ["worker", "--queue", "gpu"]
    assert worker["build"]["args"]["TORCH_CHANNEL"].startswith("${TORCH_CHANNEL:-cu")
    (device,) = worker["deploy"]["resources"]["reservations"]["devices"]
    assert device["capabilities"] == ["gpu"]
    others = [one for name, one in COMPOSE["services"].items() if name != "worker-gpu"]
    assert not any("profiles" in one for one in others)


def test_a_worker_is_given_time_to_hand_its_job_back() -> None:
    grace = float(COMPOSE["services"]["worker"]["stop_grace_period"].removesuffix("s"))
    assert grace > Settings().stop_seconds


def test_images_of_others_name_their_version() -> None:
    images = [
        service["image"] for service in COMPOSE["services"].values() if "build" not in service
    ]
    assert all(re.search(r":\d", image) for image in images)


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_every_build_argument_is_one_of_the_dockerfile(name: str) -> None:
    known = {line.split("=")[0] for line in instructions("ARG")}
    assert set(OWN_SERVICES[name]["build"]["args"]) <= known


def test_the_data_volume_is_the_data_folder_of_the_image() -> None:
    (volume,) = COMPOSE["services"]["api"]["volumes"]
    folder = volume.split(":")[1]
    assert f"LEVYGRID_DATA_DIR={folder}" in DOCKERFILE
    assert instructions("VOLUME") == [folder]


def test_every_named_volume_is_declared() -> None:
    used = {
        volume.split(":")[0]
        for service in COMPOSE["services"].values()
        for volume in service.get("volumes", [])
    }
    assert used == set(COMPOSE["volumes"])


def test_ci_runs_the_checks_and_all_but_the_slow_tests() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    targets = [line.removeprefix("make ") for line in lines if line.startswith("make ")]
    assert targets == ["check", "test", "test-long"]
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {*targets, "run", "slow"} <= rules


def test_no_test_is_left_out_of_every_make_target() -> None:
    # Together the three expressions cover every combination of the markers.
    makefile = (ROOT / "Makefile").read_text()
    options = (ROOT / "pyproject.toml").read_text()
    assert "-m 'not slow and not paper and not long'" in options
    assert '-m "long and not slow and not paper"' in makefile
    assert '-m "slow or paper"' in makefile
