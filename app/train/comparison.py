"""Compares a trained model with baselines on its split, and reports on its label."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import structlog

import ml
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.service import find_suitability
from app.labels.suitability import Suitability, judge_suitability
from app.models.kept_baselines import NewBaseline
from app.storage.documents import BaselinesDocument, JobProgress
from app.storage.tables import JobRow, ModelRow
from app.train.progress import make_curves
from app.train.request import TrainingSubject

_NOT_REQUESTED = "the training request asked for no baselines"
_log = structlog.get_logger("levygrid.train")


@dataclass(frozen=True, eq=False)
class BaselineComparison:
    """Reports to store with a model; ``suitability`` is None if it was not computed."""

    baselines: BaselinesDocument
    suitability: Suitability | None = None
    fitted: tuple[NewBaseline, ...] = ()


class ComparisonProgress:
    """Reports the stage of a comparison in the row of the job, and stops it with the worker."""

    def __init__(self, handle: JobHandle, progress: JobProgress) -> None:
        self._handle = handle
        self._progress = progress

    def report(self, stage: str, reports: Sequence[ml.BaselineDocument]) -> None:
        """Store the stage and the baselines measured so far. Raises: TrainingInterrupted."""
        self.check_stop()
        self._handle.report(lambda: self._progress | {"stage": stage, "baselines": list(reports)})

    def report_baseline(self, title: str, reports: Sequence[ml.BaselineDocument]) -> None:
        """Store the name of the next baseline. Raises: TrainingInterrupted."""
        self.report(f"baselines: {title} ({len(reports) + 1} of {len(ml.BASELINES)})", reports)

    def check_stop(self) -> None:
        """Raises: TrainingInterrupted if the worker stops."""
        self._handle.check_stop(self._progress["epoch"])


def measure_baselines(
    job: JobRow, progress: ComparisonProgress, subject: TrainingSubject, seconds: float
) -> BaselineComparison:
    """Measure the baselines of a model within ``seconds``.

    Baselines that an earlier attempt has measured are read from the row of the job.
    Raises: TrainingInterrupted if the worker stops, LeaseLost.
    """
    earlier = [report for report in job.progress.get("baselines", []) if not report["skipped"]]
    inputs = ml.BaselineTask(subject.graph, subject.split, subject.config, progress.check_stop)
    measured = ml.measure_baselines(inputs, seconds, progress.report_baseline, earlier)
    items = [measurement.report for measurement in measured]
    progress.report("the report on the label", items)
    return BaselineComparison(
        baselines={"seconds_allowed": seconds, "omitted": None, "items": items},
        fitted=tuple(
            _make_baseline(subject, measurement.report["key"], measurement.fitted)
            for measurement in measured
            if measurement.fitted
        ),
    )


def share_comparison(measured: ModelRow) -> BaselineComparison:
    """Reuse the reports of another model, which stores the fitted baselines."""
    reports = measured.baselines or {}
    items = [item | {"owner_id": measured.id} for item in reports["items"]]
    shared = reports | {"shared_from": measured.id, "items": items}
    suitability = measured.suitability
    return BaselineComparison(
        shared, None if suitability is None else msgspec.convert(suitability, Suitability)
    )


def omit_comparison() -> BaselineComparison:
    """Return the reports of a request without baselines."""
    return BaselineComparison({"seconds_allowed": 0, "omitted": _NOT_REQUESTED, "items": []})


def judge_label(
    handle: JobHandle, graph_id: str, grid: Grid, label_set: LabelSet
) -> Suitability | None:
    """Return the stored suitability report on a label set, or compute it; None if that fails."""
    stored = handle.read(lambda session: find_suitability(session, graph_id, label_set.name))
    if stored is not None:
        return stored
    try:
        return judge_suitability(grid, label_set)
    except (ValueError, ArithmeticError, RuntimeError, MemoryError) as error:
        _log.warning("suitability report failed", label=label_set.name, reason=str(error))
        return None


def _make_baseline(subject: TrainingSubject, key: str, fitted: ml.FittedMethod) -> NewBaseline:
    labels = subject.graph.labels
    return NewBaseline(
        key=key,
        artifact=fitted.artifact,
        metrics={
            part: ml.evaluate(fitted.probabilities, labels, nodes).as_dict()
            for part, nodes in ml.split_parts(subject.split).items()
        },
        curves=make_curves(fitted.history) if fitted.history else {},
        probabilities=fitted.probabilities,
        best_epoch=fitted.best_epoch,
    )
