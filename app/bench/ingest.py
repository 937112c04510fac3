"""Time and memory for reading: one million branches of topology JSON, and the corpus of grids."""

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.bench._corpus import CorpusFigures, list_entries, measure_entries
from app.ingest.build.body import decode_graph_body
from app.ingest.build.topology import read_topology
from app.ingest.protocol import ReadLimits
from app.settings import Settings
from ml import read_peak_bytes

_BUSES = 100_000
_BRANCHES = 1_000_000
_GIB = 2**30


class IngestFigures(msgspec.Struct, frozen=True):
    """Time and memory for one body; ``seconds`` is the parsing, ``grid_seconds`` the rest."""

    seconds: float
    processor_seconds: float
    grid_seconds: float
    grid_processor_seconds: float
    peak_rss_gb: float
    body_mb: float


def run(buses: int = _BUSES, branches: int = _BRANCHES, *, quick: bool = False) -> dict[str, Any]:
    """Measure parsing a body and building a grid from it, then every grid of the corpus.

    The quick form leaves out the corpus, which takes ten minutes. The body is read in a separate
    process, whose peak memory includes the interpreter and all modules. On a busy machine, compare
    ``processor_seconds``.
    """
    command = [sys.executable, "-m", "app.bench.ingest"]
    body = make_body(buses, branches)
    done = subprocess.run(command, input=body, capture_output=True, check=True)  # noqa: S603
    figures = msgspec.to_builtins(msgspec.json.decode(done.stdout, type=IngestFigures))
    body_row = {"title": "topology JSON", "buses": buses, "branches": branches, **figures}
    corpus: Iterable[CorpusFigures] = [] if quick else measure_corpus(Settings().datasets_dir)
    return {"rows": [body_row, *map(msgspec.to_builtins, corpus)], **figures}


def measure_corpus(datasets: Path | None) -> Iterator[CorpusFigures]:
    """Measure every grid of the corpus, one after the other."""
    return measure_entries(list_entries(datasets))


def make_body(buses: int, branches: int) -> bytes:
    """Return a topology of random branches as a JSON body."""
    ends = np.random.default_rng(0).integers(buses, size=(branches, 2))
    ends[:, 1] = (ends[:, 0] + 1 + ends[:, 1] % (buses - 1)) % buses
    document = {
        "buses": [{"id": str(bus)} for bus in range(buses)],
        "branches": [{"from": str(a), "to": str(b)} for a, b in ends.tolist()],
    }
    return msgspec.json.encode(document)


def measure(body: bytes) -> IngestFigures:
    """Read a body once and return the time and memory used."""
    start, processor_start = time.perf_counter(), time.process_time()
    graph, faults = decode_graph_body(body)
    parsed, processor_parsed = time.perf_counter(), time.process_time()
    read_topology(graph, ReadLimits(10**9, 10**9), faults)
    done, processor_done = time.perf_counter(), time.process_time()
    return IngestFigures(
        seconds=round(parsed - start, 6),
        processor_seconds=round(processor_parsed - processor_start, 6),
        grid_seconds=round(done - parsed, 6),
        grid_processor_seconds=round(processor_done - processor_parsed, 6),
        peak_rss_gb=round(read_peak_bytes() / _GIB, 3),
        body_mb=round(len(body) / 2**20, 1),
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(measure(sys.stdin.buffer.read())))
