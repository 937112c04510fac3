"""Models trained in the test process on a ring of twelve buses."""

from typing import Any

import numpy as np
from starlette.testclient import TestClient

import ml
from app.graphs.service import list_label_sets, load_grid, read_surroundings, to_ml_graph
from app.models.choice import NOT_COMPARED, measure_choice
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, extend_manifest, store_model
from app.storage.db import Database
from tests.app.samples import post_graph, ring

QUICK = {"epochs": 4, "width": 4, "branches": 2, "device": "cpu", "patience": None}
SPLIT = ml.Split(np.array([0, 1, 2]), np.array([3, 4, 5]), np.array([6, 7, 8, 9, 10]))
KNOWN = ml.Split(np.arange(11), np.zeros(0, np.int64), np.zeros(0, np.int64))
"""The automatic choice learns from every label; the last bus of the ring has none."""
AUTO = ml.AutoSettings.method


def post_ring(api: TestClient, **extra: Any) -> str:
    """Store the ring and return its id."""
    return post_graph(api, ring(12, **extra))


def put_trained(api: TestClient, graph_id: str, method: str = "lfgcn", **config: Any) -> str:
    """Train a model of the ring by any method, store it as a worker does, return its id."""
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.reading() as session:
        (label,) = list_label_sets(session, graph_id)
        grid = load_grid(session, graph_id)
        graph = to_ml_graph(grid, label)
    if method == AUTO:
        return _put_choice(api, graph_id, graph, read_surroundings(grid))
    fitted = _fit(graph, method, config)
    model = NewModel(
        graph_id=graph_id,
        label=label.name,
        kind=method,
        class_names=graph.class_names,
        weights=fitted.artifact.weights,
        manifest=extend_manifest(fitted.artifact, {}),
        metrics={
            part: ml.evaluate(fitted.probabilities, graph.labels, nodes).as_dict()
            for part, nodes in ml.split_parts(SPLIT).items()
        },
        curves={},
        predictions=PackedPredictions.pack(fitted.probabilities, SPLIT),
    )
    with database.writing() as session:
        return store_model(session, model).id


def _put_choice(
    api: TestClient, graph_id: str, graph: ml.Graph, surroundings: ml.Surroundings
) -> str:
    """Choose a method by all labels and store the model as the training job does."""
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    result = ml.fit_auto(graph, KNOWN, ml.AutoSettings(), surroundings)
    figures = measure_choice(graph, KNOWN, result.probabilities)
    model = NewModel(
        graph_id=graph_id,
        label="label",
        kind=AUTO,
        class_names=graph.class_names,
        weights=result.artifact.weights,
        manifest=extend_manifest(result.artifact, {"split_request": {"kind": "cross_validation"}}),
        metrics={part: figure.as_dict() for part, figure in figures.items()},
        curves={},
        predictions=PackedPredictions.pack(result.probabilities, KNOWN),
        baselines=NOT_COMPARED,
    )
    with database.writing() as session:
        return store_model(session, model).id


def _fit(graph: ml.Graph, key: str, config: dict[str, Any]) -> ml.FittedMethod:
    method = ml.get_method(key)
    if method.is_network:
        settings: dict[str, Any] = QUICK | config | {"method": key}
        result = ml.fit(graph, SPLIT, ml.make_config(**settings))
        return ml.FittedMethod(result.probabilities, result.artifact)
    shared = ml.make_config()
    comparison = ml.BaselineTask(graph, SPLIT, shared, lambda: None)
    choices = method.baseline_choices(graph, shared) if method.baseline_choices else [{}]
    return ml.fit_baseline(method, comparison, config or choices[0])
