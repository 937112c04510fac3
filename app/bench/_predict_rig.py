"""A stored grid with a model, and a server process that answers requests about it."""

import math
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec
import numpy as np
import psutil

from app.graphs.service import store_grid
from app.ingest.build.body import decode_graph_body
from app.ingest.build.topology import read_topology
from app.ingest.protocol import ReadLimits
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, store_model
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import upgrade
from app.worker.process import child_environment
from ml import random_split

_CLASSES = ("neither", "load", "generator")
_ANSWER_SECONDS = 60


@dataclass
class BenchServer:
    """A running server, its process and its port."""

    process: psutil.Process
    port: int

    def processor_seconds(self) -> float:
        """Return the processor time that the server has used."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def get(self, path: str) -> Any:
        """Return an answer in JSON."""
        answer = httpx.get(self._locate(path), timeout=_ANSWER_SECONDS)
        return answer.raise_for_status().json()

    def read(self, path: str) -> int:
        """Read an answer to its end and return its size."""
        headers = {"Accept-Encoding": "identity"}
        address = self._locate(path)
        with httpx.stream("GET", address, timeout=_ANSWER_SECONDS, headers=headers) as answer:
            answer.raise_for_status()
            return sum(map(len, answer.iter_raw()))

    def _locate(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@dataclass
class MemoryPeak:
    """Memory of a process before and at most during some work."""

    before: int
    peak: int

    @property
    def added_mb(self) -> float:
        """Megabytes added at the peak."""
        return (self.peak - self.before) / 2**20


@contextmanager
def watch_memory(process: psutil.Process) -> Iterator[MemoryPeak]:
    """Measure the memory of a process every ten milliseconds."""
    memory = MemoryPeak(process.memory_info().rss, 0)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            memory.peak = max(memory.peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield memory
    finally:
        ended.set()
        watcher.join()
        memory.peak = max(memory.peak, process.memory_info().rss)


@contextmanager
def run_server(buses: int) -> Iterator[BenchServer]:
    """Store a grid and a model, and serve them in a process of their own."""
    with (
        TemporaryDirectory(prefix="levygrid-bench-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        settings = Settings(
            data_dir=Path(folder), database_url="", broker_url="", log_level="WARNING"
        )
        upgrade(settings.resolved_database_url)
        _store_model(settings, buses)
        command = [sys.executable, "-P", "-m", "app.bench._predict_server"]
        with subprocess.Popen(  # noqa: S603 - our own program
            [*command, str(listener.fileno())],
            env=child_environment(settings, threads=1),
            pass_fds=(listener.fileno(),),
        ) as process:
            try:
                yield BenchServer(psutil.Process(process.pid), listener.getsockname()[1])
            finally:
                process.terminate()


def _store_model(settings: Settings, buses: int) -> None:
    """Store a grid with a model of random probabilities."""
    graph, faults = decode_graph_body(msgspec.json.encode(_make_ring(buses)))
    read = read_topology(graph, ReadLimits(10**9, 10**9), faults)
    shares = np.random.default_rng(0).dirichlet(np.ones(len(_CLASSES)), buses)
    split = random_split(np.arange(buses) % len(_CLASSES), 0)
    database = Database(settings.resolved_database_url)
    with database.writing() as session:
        row, _ = store_grid(session, read)
        model = NewModel(
            graph_id=row.id,
            label=read.label_sets[0].name,
            kind="lfgcn",
            class_names=_CLASSES,
            weights=b"",
            manifest={},
            metrics={},
            curves={},
            predictions=PackedPredictions.pack(shares, split),
        )
        store_model(session, model)
    database.close()


def _make_ring(buses: int) -> dict[str, Any]:
    """Return a ring of named buses on a circle as a topology."""
    angles = np.linspace(0, 2 * np.pi, buses, endpoint=False).tolist()
    places = [(10 + 5 * math.cos(angle), 50 + 5 * math.sin(angle)) for angle in angles]
    return {
        "name": "bench",
        "buses": [
            {
                "id": str(bus),
                "name": f"Bus {bus}",
                "lon": round(lon, 5),
                "lat": round(lat, 5),
                "label": _CLASSES[bus % len(_CLASSES)],
            }
            for bus, (lon, lat) in enumerate(places)
        ],
        "branches": [{"from": str(bus), "to": str((bus + 1) % buses)} for bus in range(buses)],
    }
