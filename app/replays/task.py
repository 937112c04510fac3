"""The replay job: train a model again from its manifest and compare it with the stored one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

import ml
from app.graphs.service import get_label_set, load_grid, read_surroundings, to_ml_graph
from app.jobs.handle import JobHandle
from app.models.predictions import pack_probabilities
from app.models.service import get_model, get_prediction, load_weights
from app.replays.result import ReplayDifference, ReplayResult
from app.replays.service import store_replay
from app.settings import Settings
from app.storage.documents import JobResult
from app.storage.tables import JobRow
from app.train.request import TrainingSubject
from app.train.task import train_or_resume

_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class _StoredModel:
    """A stored model, its packed probabilities, and the graph it was trained on."""

    artifact: ml.Artifact
    probabilities: bytes
    graph: ml.Graph
    surroundings: ml.Surroundings


def run(job: JobRow, handle: JobHandle, _settings: Settings) -> None:
    """Train again from the manifest unless its inputs have changed; store the result."""
    started = time.monotonic()
    stored = handle.read(lambda session: _load(session, job.payload["model_id"]))
    manifest = stored.artifact.manifest
    differences = tuple(
        ReplayDifference(difference.what, difference.stored, difference.now)
        for difference in ml.list_differences(manifest, stored.graph)
    )
    split = ml.read_split(manifest)
    if split is not None and manifest.get("selection") and not _is_refused(differences):
        differences += tuple(_list_unknown_candidates(stored, split))
    if split is None or _is_refused(differences):
        result = ReplayResult.refuse(differences)
    else:
        with ml.threads_of(manifest):
            again = _train_again(job, handle, stored, split)
            result = _compare(stored, again, split, differences)
    seconds = round(time.monotonic() - started, 3)

    def store(session: Session) -> JobResult:
        return store_replay(session, job, result.as_document(seconds))

    handle.succeed({"stage": "compared with the stored model"}, store)


def _is_refused(differences: tuple[ReplayDifference, ...]) -> bool:
    return any(difference.what in ml.DECISIVE for difference in differences)


def _load(session: Session, model_id: str) -> _StoredModel:
    row = get_model(session, model_id)
    label_set = get_label_set(session, row.graph_id, row.label, row.label_version)
    grid = load_grid(session, row.graph_id)
    return _StoredModel(
        artifact=ml.Artifact(load_weights(session, model_id), dict(row.manifest), row.sha256),
        probabilities=get_prediction(session, model_id).probabilities,
        graph=to_ml_graph(grid, label_set, row.manifest.get("feature_names")),
        surroundings=read_surroundings(grid),
    )


def _train_again(
    job: JobRow, handle: JobHandle, stored: _StoredModel, split: ml.Split
) -> ml.FittedMethod:
    method = ml.get_method(stored.artifact.method)
    settings = dict(stored.artifact.manifest["config"])
    if method.key == ml.AutoSettings.method:
        return _choose_again(handle, stored, split)
    if not method.is_network:
        del settings["method"]
        shared = ml.make_config(seed=settings.pop("seed"))
        comparison = ml.BaselineTask(stored.graph, split, shared, lambda: handle.check_stop(0))
        return ml.fit_baseline(method, comparison, settings)
    subject = TrainingSubject(stored.graph, split, ml.make_config(**settings))
    result = train_or_resume(job, handle, subject)
    return ml.FittedMethod(result.probabilities, result.artifact, result.history, result.best_epoch)


def _choose_again(handle: JobHandle, stored: _StoredModel, split: ml.Split) -> ml.FittedMethod:
    """Repeat the search of an automatic choice, step by step as its schedule says."""
    manifest = stored.artifact.manifest
    result = ml.fit_auto(
        stored.graph,
        split,
        ml.AutoSettings.from_stored(manifest["config"]),
        stored.surroundings,
        schedule=ml.read_schedule(manifest),
        on_step=lambda _key, number, _total: handle.check_stop(number),
    )
    return ml.FittedMethod(result.probabilities, result.artifact)


def _list_unknown_candidates(stored: _StoredModel, split: ml.Split) -> Iterator[ReplayDifference]:
    """Yield candidates of the schedule that this version does not have: it cannot be repeated."""
    manifest = stored.artifact.manifest
    settings = ml.AutoSettings.from_stored(manifest["config"])
    plan = ml.plan_auto(stored.graph, split, settings, stored.surroundings)
    known = {step.candidate for step in (*plan.steps, *plan.networks)} | set(plan.skipped)
    schedule = ml.read_schedule(manifest)
    used = {step.candidate for step in (*schedule.steps, *schedule.networks)}
    if used - known:
        named = ", ".join(sorted(used - known)[:_MOST_NAMED])
        yield ReplayDifference("config", f"candidates {named}", "candidates of this version")


def _compare(
    stored: _StoredModel,
    again: ml.FittedMethod,
    split: ml.Split,
    differences: tuple[ReplayDifference, ...],
) -> ReplayResult:
    return ReplayResult(
        largest_difference=ml.largest_difference(
            stored.artifact, again.artifact, stored.graph, split
        ),
        tolerance=ml.TOLERANCE if differences else 0.0,
        weights_equal=again.artifact.sha256 == stored.artifact.sha256,
        predictions_equal=pack_probabilities(again.probabilities) == stored.probabilities,
        compared="logits" if ml.get_method(stored.artifact.method).is_network else "arrays",
        count=stored.graph.node_count * stored.graph.class_count,
        differences=differences,
    )
