"""RabbitMQ for tests, from Debian's package if it is installed."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError

from app.bench._valkey import free_port
from app.settings import Settings
from app.worker.celery_app import make_celery
from tests.processes import wait_for

_PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_ERLANG = Path("/usr/lib/erlang/bin")


@pytest.fixture(scope="session")
def rabbitmq_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a RabbitMQ server; LEVYGRID_TEST_RABBITMQ_URL is used instead when set."""
    given = os.environ.get("LEVYGRID_TEST_RABBITMQ_URL")
    if given:
        yield given
        return
    if not _PROGRAM.exists():
        pytest.skip("RabbitMQ is not installed")
    folder = tmp_path_factory.mktemp("rabbitmq")
    port, mapper_port = free_port(), free_port()
    # Erlang's port mapper, as a child: left to RabbitMQ it would be a daemon that stays.
    mapper = subprocess.Popen(
        [str(_ERLANG / "epmd"), "-port", str(mapper_port), "-address", "127.0.0.1"]
    )
    server = _start(folder, port, mapper_port)
    url = f"amqp://guest:guest@127.0.0.1:{port}//"
    try:
        wait_for(lambda: _answers(url), "the start of RabbitMQ")
        yield url
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        mapper.kill()
        server.wait()
        mapper.wait()


def _start(folder: Path, port: int, mapper_port: int) -> subprocess.Popen[bytes]:
    (folder / "plugins").write_text("[].")
    environment = {
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(mapper_port),
        "HOME": str(folder),
        "PATH": f"{_ERLANG}:{os.environ['PATH']}",
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_MNESIA_BASE": str(folder),
        "RABBITMQ_NODENAME": f"levygrid{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
    }
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            [str(_PROGRAM)],
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _answers(url: str) -> bool:
    try:
        with make_celery(Settings(broker_url=url)).connection_for_read() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0)
    except OperationalError:
        return False
    return True
