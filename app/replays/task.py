"""What a worker does with a replay: make a model again from its manifest and compare."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import ml
from app.graphs.service import load_grid, to_ml_graph
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.service import get_label_set
from app.models.predictions import pack_probabilities
from app.models.service import get_model, get_prediction, load_weights
from app.replays.service import ReplayResult, store_replay
from app.settings import Settings
from app.storage.tables import JobRow, ModelRow
from app.train.comparison import Subject
from app.train.task import train_or_resume


@dataclass(frozen=True, eq=False)
class _Stored:
    """A model as it was stored, and the grid and labels it was made from."""

    row: ModelRow
    artifact: ml.Artifact
    probabilities: bytes
    grid: Grid
    label_set: LabelSet
    graph: ml.Graph


def run(job: JobRow, handle: JobHandle, _settings: Settings) -> None:
    """Train again from the manifest, or say what forbids it; the answer stays with the model."""
    started = time.monotonic()
    stored = handle.read(lambda session: _load(session, job.payload["model_id"]))
    differences = ml.list_differences(stored.row.manifest, stored.graph)
    split = ml.read_split(stored.row.manifest)
    if split is None or any(each.what in ml.DECISIVE for each in differences):
        result = ReplayResult.refuse([each.as_dict() for each in differences])
    else:
        with ml.threads_of(stored.row.manifest):
            again = _make_again(job, handle, stored, split)
            result = _compare(stored, again, split, differences)
    seconds = round(time.monotonic() - started, 3)

    def store(session: Session) -> dict[str, Any]:
        return store_replay(session, job, result.as_dict() | {"seconds": seconds})

    handle.succeed({"stage": "compared with the stored model"}, store)


def _load(session: Session, model_id: str) -> _Stored:
    row = get_model(session, model_id)
    weights = load_weights(session, model_id)
    grid = load_grid(session, row.graph_id)
    label_set = get_label_set(session, row.graph_id, row.label)
    return _Stored(
        row=row,
        artifact=ml.Artifact(weights, row.manifest, row.sha256),
        probabilities=get_prediction(session, model_id).probabilities,
        grid=grid,
        label_set=label_set,
        graph=to_ml_graph(grid, label_set, row.manifest.get("feature_names")),
    )


def _make_again(
    job: JobRow, handle: JobHandle, stored: _Stored, split: ml.Split
) -> ml.FittedMethod:
    method = ml.get_method(stored.artifact.method)
    if not method.is_network:
        settings = dict(stored.row.manifest["config"])
        del settings["method"]
        shared = ml.make_config(seed=settings.pop("seed"))
        comparison = ml.BaselineTask(stored.graph, split, shared, lambda: handle.check_stop(0))
        return ml.fit_baseline(method, comparison, settings)
    config = ml.make_config(**stored.row.manifest["config"])
    subject = Subject(stored.grid, stored.label_set, stored.graph, split, config)
    result = train_or_resume(job, handle, subject)
    return ml.FittedMethod(result.probabilities, result.artifact, result.history, result.best_epoch)


def _compare(
    stored: _Stored, again: ml.FittedMethod, split: ml.Split, differences: list[ml.Difference]
) -> ReplayResult:
    gap = ml.largest_difference(stored.artifact, again.artifact, stored.graph, split)
    return ReplayResult(
        largest_difference=gap,
        tolerance=ml.TOLERANCE if differences else 0.0,
        weights_equal=again.artifact.sha256 == stored.row.sha256,
        predictions_equal=pack_probabilities(again.probabilities) == stored.probabilities,
        compared="logits" if ml.get_method(stored.artifact.method).is_network else "arrays",
        count=stored.graph.node_count * stored.graph.class_count,
        differences=tuple(each.as_dict() for each in differences),
    )
