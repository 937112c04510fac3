"""What a worker does with a training job: read, train, compare, store."""

import time
from dataclasses import replace
from typing import Any

import structlog
from sqlalchemy.orm import Session

import ml
from app.graphs.service import load_grid, to_ml_graph
from app.jobs.handle import JobHandle
from app.labels.service import get_label_set
from app.models.service import NewModel, store_model
from app.settings import Settings
from app.storage.tables import CheckpointRow, JobRow, ModelRow
from app.sweeps.service import find_comparison
from app.train.capacity import check_capacity
from app.train.comparison import Subject, compare, omit_comparison, share_comparison
from app.train.progress import TrainingProgress, curves_of
from app.train.request import TrainingRequest, draw_split
from ml.errors import CheckpointRejected

_KEPT = ("count", "accuracy", "macro_f1", "log_loss")
_log = structlog.get_logger("levygrid.train")


def run(job: JobRow, handle: JobHandle, settings: Settings) -> None:
    """Train as the job asks, from its last checkpoint on, compare, and store the model."""
    started = time.monotonic()
    request = TrainingRequest.from_payload(job.payload)
    subject = handle.read(lambda session: _load_subject(session, request))
    check_capacity(subject.graph, subject.config, settings, known=len(subject.split.train))
    result = train_or_resume(job, handle, subject)
    whole = TrainingProgress(request.config.epochs)
    for record in result.history:
        whole.add(record)
    comparison = omit_comparison()
    if request.baselines:
        measured = handle.read(lambda session: _find_measured(session, request))
        yardstick = replace(subject, config=request.baseline_config or request.config)
        seconds = _allow_seconds(settings, time.monotonic() - started)
        comparison = (
            compare(job, handle, yardstick, whole.as_dict(), seconds)
            if measured is None
            else share_comparison(measured)
        )

    def store(session: Session) -> dict[str, Any]:
        model = _new_model(job, request, subject, result)
        compared = replace(
            model,
            baselines=comparison.baselines,
            suitability=comparison.suitability,
            fitted=comparison.fitted,
        )
        return {"model_id": store_model(session, compared).id, **_measured(result)}

    handle.succeed(whole.as_dict(), store)


def _find_measured(session: Session, request: TrainingRequest) -> ModelRow | None:
    return None if request.sweep_id is None else find_comparison(session, request.sweep_id)


def _measured(result: ml.TrainingResult) -> dict[str, Any]:
    """Return the figures that stay with the job when its model is deleted."""
    plain = {part: result.metrics[part].as_dict() for part in ("validation", "test")}
    return {part: {name: plain[part][name] for name in _KEPT} for part in plain}


def _load_subject(session: Session, request: TrainingRequest) -> Subject:
    grid = load_grid(session, request.graph_id)
    label_set = get_label_set(session, request.graph_id, request.label)
    graph = to_ml_graph(grid, label_set, request.features)
    split = draw_split(graph.labels, request.split)
    return Subject(grid, label_set, graph, split, request.config)


def _allow_seconds(settings: Settings, used: float) -> float:
    """Return the time for baselines; they must not cost a job its time limit."""
    if not settings.job_seconds:
        return settings.baseline_seconds
    return min(settings.baseline_seconds, max(0.0, settings.job_seconds - used) / 2)


def train_or_resume(job: JobRow, handle: JobHandle, subject: Subject) -> ml.TrainingResult:
    """Train from the last checkpoint of the job on, or anew, and report every epoch."""
    inputs = (subject.graph, subject.split, subject.config)
    try:
        return _train(job, handle, inputs, handle.find_checkpoint())
    except CheckpointRejected as error:
        _log.warning("training starts anew", job=job.id, reason=str(error))
        return _train(job, handle, inputs, None)


def _train(
    job: JobRow,
    handle: JobHandle,
    inputs: tuple[ml.Graph, ml.Split, ml.NetworkSettings],
    checkpoint: CheckpointRow | None,
) -> ml.TrainingResult:
    progress = TrainingProgress(inputs[2].epochs)
    if checkpoint is not None:
        progress.take_over(job.progress.get("curves", {}), checkpoint.epoch)

    def report(record: ml.EpochRecord) -> None:
        progress.add(record)
        handle.report(progress.as_dict)

    return ml.fit(
        *inputs,
        on_epoch=report,
        resume_from=None if checkpoint is None else checkpoint.content,
        on_checkpoint=handle.save_checkpoint,
        checkpoint_every=lambda _record: handle.is_checkpoint_due(),
    )


def _new_model(
    job: JobRow, request: TrainingRequest, subject: Subject, result: ml.TrainingResult
) -> NewModel:
    told = {
        "best_epoch": result.best_epoch,
        "split_request": request.split.model_dump(),
        "label_definition": subject.label_set.definition,
    }
    return NewModel(
        graph_id=request.graph_id,
        label=request.label,
        kind=request.config.method,
        class_names=tuple(result.artifact.manifest["class_names"]),
        weights=result.artifact.weights,
        manifest=result.artifact.manifest | told,
        metrics={part: metrics.as_dict() for part, metrics in result.metrics.items()},
        curves=curves_of(result.history),
        probabilities=result.probabilities,
        split=subject.split,
        job_id=job.id,
    )
