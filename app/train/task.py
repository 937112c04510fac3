"""The training job: load the data, train, compare with baselines, store the model."""

import time
from dataclasses import dataclass, replace

import msgspec
import structlog
from sqlalchemy.orm import Session

import ml
from app.graphs.service import get_label_set, load_grid, to_ml_graph
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.service import store_suitability
from app.models.predictions import PackedPredictions
from app.models.schemas import SplitIn
from app.models.service import NewModel, describe_label, extend_manifest, store_model
from app.settings import Settings
from app.storage.documents import JobProgress, JobResult, ManifestDocument
from app.storage.tables import CheckpointRow, JobRow, ModelRow
from app.sweeps.service import find_comparison
from app.train.auto_task import run_auto
from app.train.capacity import check_capacity
from app.train.comparison import (
    BaselineComparison,
    ComparisonProgress,
    judge_label,
    measure_baselines,
    omit_comparison,
    share_comparison,
)
from app.train.progress import TrainingProgress, make_curves
from app.train.request import TrainingRequest, TrainingSubject
from app.train.splits import draw_split
from ml.errors import CheckpointRejected

_log = structlog.get_logger("levygrid.train")


def run(job: JobRow, handle: JobHandle, settings: Settings) -> None:
    """Train as requested, from the last checkpoint if there is one; store model and reports."""
    request = TrainingRequest.from_payload(job.payload)
    grid, label_set = handle.read(lambda session: _load_data(session, request))
    if isinstance(request.config, ml.AutoSettings):
        budget = request.config.budget_seconds or settings.search_seconds or None
        config = replace(request.config, budget_seconds=budget)
        run_auto(job, handle, request, (grid, label_set), config)
        return
    _train_network(job, handle, settings, request, request.config, (grid, label_set))


def _train_network(
    job: JobRow,
    handle: JobHandle,
    settings: Settings,
    request: TrainingRequest,
    config: ml.NetworkSettings,
    data: tuple[Grid, LabelSet],
) -> None:
    """Train one network, compare it with baselines and store it."""
    started = time.monotonic()
    grid, label_set = data
    graph = to_ml_graph(grid, label_set, request.features)
    subject = TrainingSubject(graph, draw_split(grid, graph.labels, request.split), config)
    check_capacity(graph, config, settings, known=len(subject.split.train))
    result = train_or_resume(job, handle, subject)
    progress = TrainingProgress.of_run(result.history, config.epochs).as_dict()
    seconds = _allow_seconds(settings, time.monotonic() - started)
    comparison = _find_comparison(handle, request)
    if comparison is None:
        inputs = replace(subject, config=request.baseline_config or config)
        comparison = replace(
            measure_baselines(job, ComparisonProgress(handle, progress), inputs, seconds),
            suitability=judge_label(handle, request.graph_id, grid, label_set),
        )
    trained = TrainedNetwork(subject, result, comparison, label_set)
    label = describe_label(grid, label_set, request.features)
    _store(job, handle, request, trained, label, progress)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A trained network with its inputs and its comparison with baselines."""

    subject: TrainingSubject
    result: ml.TrainingResult
    comparison: BaselineComparison
    label_set: LabelSet


def _find_comparison(handle: JobHandle, request: TrainingRequest) -> BaselineComparison | None:
    """Return the comparison that needs no measurement, None if baselines are to be measured."""
    if not request.baselines:
        return omit_comparison()
    measured = handle.read(lambda session: _find_measured(session, request))
    return None if measured is None else share_comparison(measured)


def _store(
    job: JobRow,
    handle: JobHandle,
    request: TrainingRequest,
    trained: TrainedNetwork,
    label: ManifestDocument,
    progress: JobProgress,
) -> None:
    comparison, result = trained.comparison, trained.result

    def store(session: Session) -> JobResult:
        if comparison.suitability is not None:
            report = comparison.suitability
            store_suitability(session, request.graph_id, request.label, report)
        model = replace(
            _make_model(request, trained.subject, result, label),
            label_version=trained.label_set.version,
            job_id=job.id,
            baselines=comparison.baselines,
            suitability=msgspec.to_builtins(comparison.suitability),
            fitted=comparison.fitted,
        )
        # The job keeps these figures when its model is deleted.
        return {
            "model_id": store_model(session, model).id,
            "validation": result.metrics["validation"].summary(),
            "test": result.metrics["test"].summary(),
        }

    handle.succeed(progress, store)


def _load_data(session: Session, request: TrainingRequest) -> tuple[Grid, LabelSet]:
    grid = load_grid(session, request.graph_id)
    return grid, get_label_set(session, request.graph_id, request.label)


def _find_measured(session: Session, request: TrainingRequest) -> ModelRow | None:
    return None if request.sweep_id is None else find_comparison(session, request.sweep_id)


def _allow_seconds(settings: Settings, used: float) -> float:
    """Return the time limit for baselines: at most half of the time left for the job."""
    if not settings.job_seconds:
        return settings.baseline_seconds
    return min(settings.baseline_seconds, max(0.0, settings.job_seconds - used) / 2)


def train_or_resume(job: JobRow, handle: JobHandle, subject: TrainingSubject) -> ml.TrainingResult:
    """Train from the last checkpoint of the job, or from the start, and report every epoch."""
    try:
        return _train(job, handle, subject, handle.find_checkpoint())
    except CheckpointRejected as error:
        _log.warning("checkpoint rejected, training restarts", job=job.id, reason=str(error))
        return _train(job, handle, subject, None)


def _train(
    job: JobRow, handle: JobHandle, subject: TrainingSubject, checkpoint: CheckpointRow | None
) -> ml.TrainingResult:
    progress = TrainingProgress(subject.config.epochs)
    if checkpoint is not None:
        progress.resume(job.progress.get("curves", {}), checkpoint.epoch)

    def report(record: ml.EpochRecord) -> None:
        progress.add(record)
        handle.report(progress.as_dict)

    return ml.fit(
        subject.graph,
        subject.split,
        subject.config,
        on_epoch=report,
        resume_from=None if checkpoint is None else checkpoint.content,
        on_checkpoint=handle.save_checkpoint,
        checkpoint_every=lambda _record: handle.is_checkpoint_due(),
    )


def _make_model(
    request: TrainingRequest,
    subject: TrainingSubject,
    result: ml.TrainingResult,
    label: ManifestDocument,
) -> NewModel:
    additions: ManifestDocument = {
        "best_epoch": result.best_epoch,
        "split_request": (request.split or SplitIn()).describe(),
    }
    return NewModel(
        graph_id=request.graph_id,
        label=request.label,
        kind=request.config.method,
        class_names=tuple(result.artifact.manifest["class_names"]),
        weights=result.artifact.weights,
        manifest=extend_manifest(result.artifact, additions | label),
        metrics={part: metrics.as_dict() for part, metrics in result.metrics.items()},
        curves=make_curves(result.history),
        predictions=PackedPredictions.pack(result.probabilities, subject.split),
    )
