"""What a worker does with a training job: read, train, store."""

from typing import Any

import structlog
from sqlalchemy.orm import Session

import ml
from app.graphs.service import load_grid, to_ml_graph
from app.jobs.desk import JobDesk
from app.labels.service import get_label_set
from app.models.service import NewModel, store_model
from app.tables import CheckpointRow, JobRow
from app.train.progress import TrainingProgress, curves_of
from app.train.request import TrainingRequest, draw_split
from ml.errors import CheckpointRejected

_log = structlog.get_logger(__name__)


def run(job: JobRow, desk: JobDesk) -> None:
    """Train as the job asks, from its last checkpoint on, and store the model."""
    request = TrainingRequest.from_payload(job.payload)
    graph = desk.read(lambda session: _load_graph(session, request))
    split = draw_split(graph.labels, request.split)
    try:
        result = _train(job, desk, (graph, split, request.config), desk.find_checkpoint())
    except CheckpointRejected as error:
        _log.warning("training starts anew", job=job.id, reason=str(error))
        result = _train(job, desk, (graph, split, request.config), None)

    def store(session: Session) -> dict[str, Any]:
        return {"model_id": store_model(session, _new_model(job, request, split, result)).id}

    whole = TrainingProgress(request.config.epochs)
    for record in result.history:
        whole.add(record)
    desk.succeed(whole.as_dict(), store)


def _load_graph(session: Session, request: TrainingRequest) -> ml.Graph:
    grid = load_grid(session, request.graph_id)
    label_set = get_label_set(session, request.graph_id, request.label)
    return to_ml_graph(grid, label_set, request.features)


def _train(
    job: JobRow,
    desk: JobDesk,
    inputs: tuple[ml.Graph, ml.Split, ml.TrainingConfig],
    checkpoint: CheckpointRow | None,
) -> ml.TrainingResult:
    progress = TrainingProgress(inputs[2].epochs)
    if checkpoint is not None:
        progress.take_over(job.progress.get("curves", {}), checkpoint.epoch)

    def report(record: ml.EpochRecord) -> None:
        progress.add(record)
        desk.report(progress.as_dict)

    return ml.fit(
        *inputs,
        on_epoch=report,
        resume_from=None if checkpoint is None else checkpoint.content,
        on_checkpoint=desk.save_checkpoint,
        checkpoint_every=lambda _record: desk.is_checkpoint_due(),
    )


def _new_model(
    job: JobRow, request: TrainingRequest, split: ml.Split, result: ml.TrainingResult
) -> NewModel:
    return NewModel(
        graph_id=request.graph_id,
        label=request.label,
        kind=request.config.method,
        class_names=tuple(result.artifact.manifest["class_names"]),
        weights=result.artifact.weights,
        manifest=result.artifact.manifest | {"best_epoch": result.best_epoch},
        metrics={part: metrics.as_dict() for part, metrics in result.metrics.items()},
        curves=curves_of(result.history),
        probabilities=result.probabilities,
        split=split,
        job_id=job.id,
    )
