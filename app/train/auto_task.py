"""The training job with the automatic choice of the method: search, refit, store."""

from dataclasses import replace

import numpy as np
import structlog
from safetensors import SafetensorError
from safetensors.numpy import load, save
from sqlalchemy.orm import Session

import ml
from app.graphs.service import read_surroundings, to_ml_graph
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.models.choice import NOT_COMPARED, measure_choice
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, describe_label, extend_manifest, store_model
from app.storage.documents import JobProgress, JobResult, ManifestDocument, SplitRequestDocument
from app.storage.tables import JobRow
from app.train.request import TrainingRequest
from app.train.splits import draw_known
from ml.arrays import FloatArray

_log = structlog.get_logger("levygrid.train")


def run_auto(
    job: JobRow,
    handle: JobHandle,
    request: TrainingRequest,
    data: tuple[Grid, LabelSet],
    settings: ml.AutoSettings,
) -> None:
    """Choose the best method for the known labels, refit it on all of them, store the model."""
    grid, label_set = data
    graph = to_ml_graph(grid, label_set, request.features)
    split = draw_known(grid, graph.labels, request.split)
    surroundings = read_surroundings(grid)
    schedule = ml.plan_auto(graph, split, settings, surroundings)
    search = _Search(job, handle, schedule)
    result = ml.fit_auto(
        graph,
        split,
        settings,
        surroundings,
        schedule=schedule,
        on_step=search.start_candidate,
        stored=search.arrays,
    )
    metrics = measure_choice(graph, split, result.probabilities)
    label = describe_label(grid, label_set, request.features)
    model = _make_model(request, label, split, result, metrics)

    def store(session: Session) -> JobResult:
        return {
            "model_id": store_model(
                session, replace(model, job_id=job.id, label_version=label_set.version)
            ).id,
            "validation": metrics["validation"].summary(),
            "test": metrics["test"].summary(),
        }

    handle.succeed(search.finish(), store)


def _make_model(
    request: TrainingRequest,
    label: ManifestDocument,
    split: ml.Split,
    result: ml.AutoResult,
    metrics: dict[str, ml.Metrics],
) -> NewModel:
    split_request: SplitRequestDocument = {"kind": "cross_validation"}
    additions: ManifestDocument = {
        "split_request": split_request if request.split is None else request.split.describe(),
    }
    return NewModel(
        graph_id=request.graph_id,
        label=request.label,
        kind=request.config.method,
        class_names=tuple(result.artifact.manifest["class_names"]),
        weights=result.artifact.weights,
        manifest=extend_manifest(result.artifact, additions | label),
        metrics={part: figures.as_dict() for part, figures in metrics.items()},
        curves={},
        predictions=PackedPredictions.pack(result.probabilities, split),
        baselines=NOT_COMPARED,
    )


class _Search:
    """Reports the candidate that is evaluated, and saves finished ones for a later attempt."""

    def __init__(self, job: JobRow, handle: JobHandle, schedule: ml.Schedule) -> None:
        self._handle = handle
        self._total = len(schedule.steps) + len(schedule.networks)
        self._seconds = round(schedule.seconds, 1)
        self._number = 0
        self.arrays: dict[str, FloatArray] = self._load(job)

    def start_candidate(self, key: str, number: int, total: int) -> None:
        """Store the progress. Raises: TrainingInterrupted if the worker stops."""
        self._number = number
        self._handle.report(lambda: self._describe(f"trying {key} ({number + 1} of {total})"))
        if self._handle.is_checkpoint_due():
            arrays = {name: np.ascontiguousarray(value) for name, value in self.arrays.items()}
            self._handle.save_checkpoint(number, save(arrays))

    def finish(self) -> JobProgress:
        """Return the progress of a finished search."""
        self._number = self._total
        return self._describe("refitted on all known labels")

    def _describe(self, stage: str) -> JobProgress:
        return {
            "epoch": self._number,
            "epochs": self._total,
            "stage": stage,
            "estimated_seconds": self._seconds,
        }

    def _load(self, job: JobRow) -> dict[str, FloatArray]:
        checkpoint = self._handle.find_checkpoint()
        if checkpoint is None:
            return {}
        try:
            return dict(load(checkpoint.content))
        except SafetensorError as error:
            _log.warning("checkpoint rejected, search restarts", job=job.id, reason=str(error))
            return {}
