"""What a trained model is to be judged by: simple methods on its split, and its label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

import ml
from app.grid.grid import Grid, LabelSet
from app.jobs.handle import JobHandle
from app.labels.suitability import judge_suitability
from app.models.kept_baselines import FittedBaseline
from app.storage.tables import JobRow, ModelRow
from app.train.progress import curves_of

NOT_ASKED_FOR = "the training request asked for no baselines"
_log = structlog.get_logger("levygrid.train")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Reports to be stored with a model; a report that could not be made is None."""

    baselines: dict[str, Any]
    suitability: dict[str, Any] | None
    fitted: tuple[FittedBaseline, ...] = ()


@dataclass(frozen=True, eq=False)
class Subject:
    """What is compared: the grid and label, as read and as trained on."""

    grid: Grid
    label_set: LabelSet
    graph: ml.Graph
    split: ml.Split
    config: ml.NetworkSettings


def compare(
    job: JobRow, handle: JobHandle, subject: Subject, progress: dict[str, Any], seconds: float
) -> Comparison:
    """Measure the baselines and the label; ``progress`` is what the job has to show so far.

    Baselines that an earlier attempt has measured are taken over from the row of the job.
    Raises: TrainingInterrupted if the worker stops, LeaseLost.
    """
    epoch = progress["epoch"]

    def tell(stage: str, reports: Sequence[dict[str, Any]]) -> None:
        handle.check_stop(epoch)
        handle.report(lambda: progress | {"stage": stage, "baselines": list(reports)})

    def step(title: str, reports: Sequence[dict[str, Any]]) -> None:
        tell(f"baselines: {title} ({len(reports) + 1} of {len(ml.BASELINES)})", reports)

    known = [report for report in job.progress.get("baselines", []) if not report["skipped"]]
    compared = ml.BaselineTask(
        subject.graph, subject.split, subject.config, lambda: handle.check_stop(epoch)
    )
    measured = ml.measure_baselines(compared, seconds, step, known)
    items = [each.report for each in measured]
    tell("the report on the label", items)
    return Comparison(
        baselines={"seconds_allowed": seconds, "omitted": None, "items": items},
        suitability=_judge(subject),
        fitted=tuple(
            _keep(subject, each.report["key"], each.fitted) for each in measured if each.fitted
        ),
    )


def share_comparison(measured: ModelRow) -> Comparison:
    """Take over what was measured beside another model, which keeps the fitted baselines."""
    reports = measured.baselines or {}
    items = [item | {"owner_id": measured.id} for item in reports["items"]]
    shared = reports | {"shared_from": measured.id, "items": items}
    return Comparison(shared, measured.suitability)


def omit_comparison() -> Comparison:
    """Say that nobody asked for a comparison."""
    return Comparison({"seconds_allowed": 0, "omitted": NOT_ASKED_FOR, "items": []}, None)


def _keep(subject: Subject, key: str, fitted: ml.FittedMethod) -> FittedBaseline:
    labels = subject.graph.labels
    return FittedBaseline(
        key=key,
        artifact=fitted.artifact,
        metrics={
            part: ml.evaluate(fitted.probabilities, labels, nodes).as_dict()
            for part, nodes in ml.split_parts(subject.split).items()
        },
        curves=curves_of(fitted.history) if fitted.history else {},
        probabilities=fitted.probabilities,
        best_epoch=fitted.best_epoch,
    )


def _judge(subject: Subject) -> dict[str, Any] | None:
    try:
        return judge_suitability(subject.grid, subject.label_set)
    except (ValueError, ArithmeticError, RuntimeError, MemoryError) as error:
        _log.warning("no report on the label", label=subject.label_set.name, reason=str(error))
        return None
