"""Assembles a model card from the rows of a model, its grid and its history."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.models.card.caveats import list_limits
from app.models.card.headline import (
    find_best_baseline,
    list_baseline_warnings,
    list_leak_warnings,
    warn_of_newer_labels,
    write_headline,
)
from app.models.card.kinds import describe_kind
from app.models.card.reports import (
    CROSS_VALIDATION,
    BaselineReport,
    ModelFigures,
    Part,
    SelectionReport,
    SplitRequest,
)
from app.models.card.schema import (
    BaselineOut,
    BaselinesOut,
    CardDataOut,
    CardModelOut,
    CardOut,
    CardSplitOut,
    ClassFiguresOut,
    IntervalOut,
    PartFiguresOut,
    PromotionOut,
    ReplayOut,
)
from app.models.card.selection_schema import SelectionOut
from app.storage.tables import GraphRow, ModelRow, PromotionRow, ReplayRow
from ml import BaselineDocument, accuracy_interval

_PARTS: tuple[Part, ...] = ("train", "validation", "test")
_SHOWN_ELSEWHERE = {
    "config",
    "split",
    "selection",
    "split_request",
    "class_names",
    "feature_names",
    "graph_hash",
    "label_hash",
    "label_definition",
    "hidden_columns",
    "revealed_columns",
    "origin",
}


@dataclass(frozen=True)
class ModelHistory:
    """What happened to a model after its training; ``answers`` is None if it is not active."""

    promotions: Sequence[PromotionRow]
    replays: Sequence[ReplayRow]
    answers: str | None
    newest_labels: int = 1
    """Newest version of the label set."""


def make_card(row: ModelRow, graph: GraphRow, history: ModelHistory) -> CardOut:
    """Return the card of a model."""
    figures = ModelFigures.from_stored(row.metrics)
    interval = _find_interval(row, figures)
    return CardOut(
        headline=write_headline(row),
        warnings=[
            *warn_of_newer_labels(row.label, row.label_version, history.newest_labels),
            *list_baseline_warnings(row),
            *list_leak_warnings(row),
        ],
        active=history.answers is not None,
        answers=history.answers,
        model=_describe_model(row),
        promotions=[
            PromotionOut(reason=promotion.reason, promoted_at=promotion.promoted_at)
            for promotion in history.promotions
        ],
        replays=[
            ReplayOut(job_id=replay.id, replayed_at=replay.replayed_at, **replay.result)
            for replay in history.replays
        ],
        data=_describe_data(row, graph),
        config=row.manifest.get("config", {}),
        making={name: v for name, v in row.manifest.items() if name not in _SHOWN_ELSEWHERE},
        split=_describe_split(row, figures),
        metrics={part: _describe_part(figures, part) for part in _PARTS},
        test_interval=interval,
        per_class=_list_classes(row, figures),
        confusion=figures.test.confusion,
        curves=row.curves,
        baselines=_describe_baselines(row),
        best_baseline=describe_best_baseline(row),
        suitability=row.suitability,
        selection=_describe_selection(row),
        limits=list_limits(row, interval),
    )


def describe_best_baseline(row: ModelRow) -> BaselineOut | None:
    """Return the best baseline on validation as it is stored, with the path that promotes it."""
    best = find_best_baseline(row)
    if best is None or row.baselines is None:
        return None
    stored = next(item for item in row.baselines["items"] if item["key"] == best.key)
    return _describe_baseline(row, stored)


def _describe_baselines(row: ModelRow) -> BaselinesOut | None:
    if row.baselines is None:
        return None
    items = [_describe_baseline(row, item) for item in row.baselines.get("items", [])]
    return BaselinesOut.model_validate(row.baselines | {"items": items})


def _describe_baseline(row: ModelRow, stored: BaselineDocument) -> BaselineOut:
    path = BaselineReport.from_stored(stored).promote_path(row.id)
    return BaselineOut.model_validate(stored | {"promote": path})


def _describe_model(row: ModelRow) -> CardModelOut:
    return CardModelOut(
        id=row.id,
        kind=row.kind,
        what=f"{describe_kind(row.kind)}; predicts the class {row.label!r} of every bus of a grid",
        job_id=row.job_id,
        created_at=row.created_at,
        sha256=row.sha256,
        origin=row.manifest.get("origin"),
    )


def _describe_data(row: ModelRow, graph: GraphRow) -> CardDataOut:
    return CardDataOut(
        graph_id=graph.id,
        grid=graph.name,
        source=graph.source,
        buses=graph.bus_count,
        branches=graph.branch_count,
        islands=graph.island_count,
        features=row.manifest.get("feature_names", []),
        hidden=row.manifest.get("hidden_columns", {}),
        label=row.label,
        label_version=row.label_version,
        label_definition=row.manifest.get("label_definition"),
        class_names=row.class_names,
        content_hash=graph.content_hash,
        graph_hash=row.manifest.get("graph_hash"),
        label_hash=row.manifest.get("label_hash"),
    )


def _describe_split(row: ModelRow, figures: ModelFigures) -> CardSplitOut:
    request = SplitRequest.from_stored(row.manifest.get("split_request"))
    return CardSplitOut(
        kind=request.kind,
        seed=request.seed,
        fractions=request.fractions,
        hash=(row.manifest.get("split") or {}).get("hash"),
        counts={part: figures.on(part).count for part in _PARTS},
    )


def _describe_selection(row: ModelRow) -> SelectionOut | None:
    stored = row.manifest.get("selection")
    return None if stored is None else SelectionOut.model_validate(stored)


def _find_interval(row: ModelRow, figures: ModelFigures) -> IntervalOut | None:
    """Return the interval of the estimate of an automatic choice, else that of the test buses."""
    estimate = SelectionReport.from_stored(row.manifest.get("selection")).estimate
    is_cross_validated = (row.manifest.get("split_request") or {}).get("kind") == CROSS_VALIDATION
    if estimate is None or not is_cross_validated:
        return _test_interval(figures)
    method = "bootstrap over out-of-fold answers, corrected for the choice (BBC-CV)"
    return IntervalOut(low=estimate.low, high=estimate.high, confidence=0.95, method=method)


def _test_interval(figures: ModelFigures) -> IntervalOut | None:
    test = figures.test
    if not test.count or test.accuracy is None:
        return None
    low, high = accuracy_interval(test.accuracy, test.count)
    return IntervalOut(low=low, high=high, confidence=0.95, method="Wilson score")


def _describe_part(figures: ModelFigures, part: Part) -> PartFiguresOut:
    measured = figures.on(part)
    return PartFiguresOut(
        count=measured.count,
        accuracy=measured.accuracy,
        macro_f1=measured.macro_f1,
        log_loss=measured.log_loss,
        expected_calibration_error=measured.expected_calibration_error,
    )


def _list_classes(row: ModelRow, figures: ModelFigures) -> list[ClassFiguresOut]:
    return [
        ClassFiguresOut(
            class_name=name,
            precision=measured.precision,
            recall=measured.recall,
            f1=measured.f1,
            support=measured.support,
        )
        for name, measured in zip(row.class_names, figures.test.per_class, strict=False)
    ]
