"""Dockerfile and docker-compose.yml name only what the code has: no engine runs them here."""

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
