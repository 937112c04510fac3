"""Grids and models of a running service, made through its API."""

import time
from typing import Any

import httpx

_PATIENCE = 240.0
QUICK = {"epochs": 30, "width": 16}


class TrainedService:
    """A service with IEEE 118 and a model of it, trained quickly if there is none."""

    def __init__(self, address: str, http: httpx.Client) -> None:
        self.address = address
        self.http = http
        self.graph = self.post("/graphs", {"case": "case118"})
        known = self.get("/models", graph_id=self.graph["id"])["items"]
        model_id = known[0]["id"] if known else self.train(self.graph["id"], QUICK)["model_id"]
        self.model = self.get(f"/models/{model_id}")

    def get(self, path: str, **query: str) -> Any:
        """Read JSON."""
        return self.http.get(path, params=query).raise_for_status().json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send JSON."""
        return self.http.post(path, json=body).raise_for_status().json()

    def train(self, graph_id: str, config: dict[str, Any]) -> Any:
        """Train and wait for the job to end."""
        job_id = self.post("/train", {"graph_id": graph_id, "config": config})["job_id"]
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            job = self.get(f"/jobs/{job_id}")
            if job["state"] not in {"queued", "running"}:
                return job
            time.sleep(0.2)
        raise TimeoutError(f"job {job_id} did not end")

    def upload_ring(self, name: str, bus_count: int, feature: float = 1.0) -> Any:
        """Store a ring of buses without coordinates, every second one a load."""
        buses = [
            {"id": str(bus), "features": {"Pd": feature * bus}, "label": ("load", "none")[bus % 2]}
            for bus in range(bus_count)
        ]
        branches = [
            {"from": str(bus), "to": str((bus + 1) % bus_count)} for bus in range(bus_count)
        ]
        return self.post("/graphs", {"name": name, "buses": buses, "branches": branches})
