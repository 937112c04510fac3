"""Throughput and latency of ``GET /predict/{bus_id}``, compared with an empty FastAPI route.

Both routes are in one server and are measured by one client in turns, because the speed of the
machine changes. Answers for the whole grid are measured in seconds and added memory.
"""

import math
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.bench._load import CLIENT, measure_latencies, measure_throughput
from app.bench._predict_rig import BenchServer, run_server, watch_memory
from app.bench._predict_server import COUNT_PATH, EMPTY_PATH

Turn: TypeAlias = dict[str, tuple[float, float]]
_PATHS = 20_000
_NAMES_PER_BUS = 2
_WARM_SECONDS = 60
_FORMS = ("rows", "csv", "geojson")


@dataclass(frozen=True)
class _Plan:
    sizes: tuple[int, ...] = (2_000, 82_000)
    turns: int = 5
    seconds: float = 3.0


_QUICK = _Plan(sizes=(300,), turns=2, seconds=0.3)


def run(*, quick: bool = False) -> dict[str, Any]:
    """Measure both routes on each grid; ``ratio`` is the lowest of the grids.

    ``p99_ms`` is the highest 99th percentile at half of the measured throughput.
    """
    plan = _QUICK if quick else _Plan()
    rows, bulk = [], []
    for buses in plan.sizes:
        with run_server(buses) as server:
            rows.append({"buses": buses, **_measure_routes(server, buses, plan)})
            if buses == max(plan.sizes):
                bulk = [_measure_bulk(server, form) for form in _FORMS]
    return {
        "rows": rows,
        "ratio": min(row["ratio"] for row in rows),
        "p99_ms": max(row["p99_ms"] for row in rows),
        "requests_per_second": min(row["requests_per_second"] for row in rows),
        "client": CLIENT,
        "bulk": bulk,
        "bulk_seconds": max(row["seconds"] for row in bulk),
        "bulk_added_mb": max(row["added_mb"] for row in bulk),
    }


def _measure_routes(server: BenchServer, buses: int, plan: _Plan) -> dict[str, Any]:
    paths = _draw_paths(buses)
    _wait_until_prepared(server, buses)
    turns = []
    for turn in range(plan.turns):
        order = (EMPTY_PATH, "") if turn % 2 else ("", EMPTY_PATH)
        turns.append({path: _measure_turn(server, path, paths, plan) for path in order})
    rate, empty_rate = (_take_median(turns, path, 0) for path in ("", EMPTY_PATH))
    latencies = measure_latencies(server.port, paths, 2 * plan.seconds, rate / 2)
    return {
        "requests_per_second": round(rate),
        "empty_route_per_second": round(empty_rate),
        "ratio": round(statistics.median(turn[""][0] / turn[EMPTY_PATH][0] for turn in turns), 3),
        "server_us": round(_take_median(turns, "", 1), 1),
        "empty_route_us": round(_take_median(turns, EMPTY_PATH, 1), 1),
        "p50_ms": round(1000 * find_percentile(latencies, 0.5), 2),
        "p99_ms": round(1000 * find_percentile(latencies, 0.99), 2),
    }


def _measure_turn(
    server: BenchServer, path: str, paths: Sequence[str], plan: _Plan
) -> tuple[float, float]:
    """Return requests per second, and microseconds of the server's processor per request."""
    before = server.processor_seconds()
    started = time.perf_counter()
    rate = measure_throughput(server.port, [path] if path else paths, plan.seconds)
    count = rate * min(plan.seconds, time.perf_counter() - started)
    return rate, 1e6 * (server.processor_seconds() - before) / count


def _take_median(turns: Sequence[Turn], path: str, place: int) -> float:
    return statistics.median(turn[path][place] for turn in turns)


def _measure_bulk(server: BenchServer, form: str) -> dict[str, Any]:
    """Read an answer for the whole grid; the best of three, with the memory that it added."""
    seconds, added = [], []
    for _ in range(3):
        with watch_memory(server.process) as memory:
            started = time.perf_counter()
            size = server.read(f"/predict?form={form}")
            seconds.append(time.perf_counter() - started)
        added.append(memory.added_mb)
    return {
        "form": form,
        "seconds": round(min(seconds), 3),
        "added_mb": round(max(added), 1),
        "body_mb": round(size / 2**20, 2),
    }


def find_percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def _draw_paths(buses: int) -> list[str]:
    choose = random.Random(0).randrange  # noqa: S311 - a benchmark
    return [f"/predict/{choose(buses)}" for _ in range(_PATHS)]


def _wait_until_prepared(server: BenchServer, buses: int) -> None:
    """Ask for a bus until the answers of all are prepared, under their ids and names."""
    deadline = time.monotonic() + _WARM_SECONDS
    while time.monotonic() < deadline:
        server.read("/predict/0")
        if server.get(COUNT_PATH) >= _NAMES_PER_BUS * buses:
            return
        time.sleep(0.05)
    raise RuntimeError(f"The answers were not prepared within {_WARM_SECONDS} seconds.")
