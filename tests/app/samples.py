"""Small grids and models for tests."""

from dataclasses import replace
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from app.models.kept_baselines import NewBaseline
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, store_model
from app.storage.db import Database
from app.storage.tables import GraphRow
from ml import MetricsDocument, Split
from ml.artifact.artifact import pack

CLASSES = ("neither", "load", "generator")


def ring(count: int = 6, **extra: Any) -> dict[str, Any]:
    """A ring of buses "1" to "count" with one feature, labelled by turns, the last not."""
    buses = [
        {"id": str(bus), "name": f"Bus {bus}", "features": {"Pd": float(bus)}}
        | ({"label": CLASSES[bus % 3]} if bus < count else {})
        for bus in range(1, count + 1)
    ]
    branches = [{"from": str(bus), "to": str(bus % count + 1)} for bus in range(1, count + 1)]
    return {"buses": buses, "branches": branches} | extra


def post_graph(api: TestClient, body: dict[str, Any] | None = None) -> str:
    """Store a grid and return its id."""
    answer = api.post("/graphs", json=ring() if body is None else body)
    assert answer.status_code in (200, 201), answer.text
    graph_id: str = answer.json()["id"]
    return graph_id


def put_model(api: TestClient, graph_id: str, accuracy: float = 0.5, **extra: Any) -> str:
    """Store a model of a ring of six buses in the database of an API, and return its id."""
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return store_sample(database, graph_id, accuracy, **extra)


def store_sample(
    database: Database,
    graph_id: str,
    accuracy: float = 0.5,
    label: str = "label",
    count: int = 2,
    **extra: Any,
) -> str:
    """Store a model of a ring of buses as a worker does, and return its id.

    Its probabilities repeat after six buses.
    """
    probabilities = np.array(
        [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6], [0.8, 0.1, 0.1], [0.3, 0.4, 0.3]] + [[0.2, 0.3, 0.5]] * 2
    )
    split = Split(np.array([0]), np.array([1]), np.array([2, 3]))
    part: MetricsDocument = {"count": count, "accuracy": accuracy, "macro_f1": accuracy}
    model = NewModel(
        graph_id=graph_id,
        label=label,
        kind="lfgcn",
        class_names=("generator", "load", "neither"),
        weights=b"weights",
        manifest={
            "config": {"alpha": 0.2},
            "graph_hash": "g",
            "label_hash": "l",
            "split": {"hash": "s", "train": [0]},
            "best_epoch": 3,
            "seed": 0,
        },
        metrics={"train": part, "validation": part, "test": part},
        curves={"epoch": [1, 2]},
        predictions=PackedPredictions(b"", b""),
    )
    with database.writing() as session:
        graph = session.get(GraphRow, graph_id)
        buses = len(probabilities) if graph is None else graph.bus_count
        shares = extra.pop("probabilities", np.resize(probabilities, (buses, 3)))
        packed = PackedPredictions.pack(shares, extra.pop("split", split))
        model = replace(model, predictions=packed)
        return store_model(session, replace(model, **extra)).id


def report_on(key: str, accuracy: float, test: float = 0.25, **extra: Any) -> dict[str, Any]:
    """What a worker reports of a baseline of the ring."""
    return {
        "key": key,
        "title": key.capitalize(),
        "seed": 0,
        "skipped": None,
        "tried": 2,
        "candidates": 2,
        "seconds": 0.1,
        "promotable": True,
        "settings": {"trees": 100},
        "description": None,
        "validation": {"count": 2, "accuracy": accuracy, "macro_f1": 0.5, "log_loss": 0.7},
        "test": {"count": 2, "accuracy": test, "macro_f1": 0.5, "log_loss": 0.7},
    } | extra


def compared(*items: dict[str, Any]) -> dict[str, Any]:
    """The baselines of a model as it is stored with them."""
    return {"seconds_allowed": 60, "omitted": None, "items": list(items)}


def fitted_baseline(key: str = "majority", accuracy: float = 0.75) -> NewBaseline:
    """A baseline of the ring: every bus is neither, with these shares."""
    shares = np.array([0.25, 0.25, 0.5])
    part: MetricsDocument = {"count": 2, "accuracy": accuracy, "macro_f1": accuracy}
    manifest = {
        "config": {"method": key, "seed": 0},
        "class_names": ["generator", "load", "neither"],
        "feature_names": ["Pd"],
        "graph_hash": "g",
        "label_hash": "l",
        "seed": 0,
    }
    return NewBaseline(
        key=key,
        artifact=pack({"frequencies": shares}, manifest),
        metrics={"train": part, "validation": part, "test": part},
        curves={},
        probabilities=np.tile(shares, (6, 1)),
    )
