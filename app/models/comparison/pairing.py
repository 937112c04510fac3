"""Compares two models of the same grid and label: settings, figures, predictions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from app.errors import ModelsNotComparable
from app.graphs.service import get_label_set
from app.models.card.reports import ModelFigures, Part
from app.models.comparison.schema import (
    AgreementOut,
    CommonTestOut,
    ComparedClassOut,
    ComparedFigureOut,
    ComparedModelOut,
    ComparedPartOut,
    ModelComparisonOut,
    SettingDifferenceOut,
)
from app.models.predictions import PART_NAMES, Predictions
from app.models.service import get_model, is_active, load_predictions
from app.storage.tables import ModelRow
from ml import UNLABELLED, PairedCount, count_pairs
from ml.arrays import BoolArray, IntArray

_PARTS: tuple[Part, ...] = ("train", "validation", "test")
_TRAIN, _TEST = PART_NAMES.index("train"), PART_NAMES.index("test")
_LIKELY_CHANCE = 0.05


@dataclass(frozen=True, eq=False)
class _Pair:
    """Predicted classes of both models, as codes of the label set. Shapes: all (N,)."""

    class_names: tuple[str, ...]
    truth: IntArray
    first: IntArray
    second: IntArray
    common: BoolArray
    """True at labelled buses that are test buses of both models."""


def compare_models(session: Session, first_id: str, second_id: str) -> ModelComparisonOut:
    """Compare two models.

    Raises: ModelNotFound; ModelsNotComparable unless both have the same grid and label.
    """
    rows = get_model(session, first_id), get_model(session, second_id)
    for what, name in (("grids", "graph_id"), ("labels", "label")):
        if getattr(rows[0], name) != getattr(rows[1], name):
            raise ModelsNotComparable(f"The models have different {what}.")
    predictions = load_predictions(session, first_id), load_predictions(session, second_id)
    pair = _make_pair(session, rows[0], *predictions)
    return ModelComparisonOut(
        first=_describe(session, rows[0]),
        second=_describe(session, rows[1]),
        warnings=list(_list_warnings(rows, predictions, pair)),
        config=_list_config_differences(*rows),
        metrics={part: _compare_part(*rows, part) for part in _PARTS},
        agreement=_measure_agreement(pair.first == pair.second),
        common_test=_describe_common(pair),
        per_class=list(_compare_classes(pair)),
    )


def _make_pair(session: Session, row: ModelRow, first: Predictions, second: Predictions) -> _Pair:
    label_set = get_label_set(session, row.graph_id, row.label)
    tested = (first.parts == _TEST) & (second.parts == _TEST)
    # A model may have learnt an earlier version of the labels, with other classes.
    names = (*label_set.class_names, *first.class_names, *second.class_names)
    class_names = tuple(dict.fromkeys(names))
    return _Pair(
        class_names=class_names,
        truth=label_set.classes,
        first=_predicted_codes(first, class_names),
        second=_predicted_codes(second, class_names),
        common=tested & (label_set.classes != UNLABELLED),
    )


def _predicted_codes(predictions: Predictions, class_names: tuple[str, ...]) -> IntArray:
    codes = np.array([class_names.index(name) for name in predictions.class_names])
    return np.asarray(codes[np.argmax(predictions.probabilities, axis=1)], dtype=np.int64)


def _describe(session: Session, row: ModelRow) -> ComparedModelOut:
    return ComparedModelOut(
        id=row.id,
        kind=row.kind,
        active=is_active(session, row.id),
        split_hash=_split_hash(row),
    )


def _split_hash(row: ModelRow) -> str | None:
    digest: str | None = (row.manifest.get("split") or {}).get("hash")
    return digest


def _list_warnings(
    rows: tuple[ModelRow, ModelRow], predictions: tuple[Predictions, Predictions], pair: _Pair
) -> Iterator[str]:
    count = int(np.count_nonzero(pair.common))
    if rows[0].label_version != rows[1].label_version:
        learnt = " and ".join(str(row.label_version) for row in rows)
        yield f"The models have learnt versions {learnt} of the label set."
    if _split_hash(rows[0]) != _split_hash(rows[1]):
        yield (
            "The splits differ: the validation and test figures are measured on different buses; "
            f"bus by bus, only the {count} common test buses are compared."
        )
    first, second = predictions
    for trained, tested, names in (
        (second, first, ("second", "first")),
        (first, second, ("first", "second")),
    ):
        seen = int(np.count_nonzero((tested.parts == _TEST) & (trained.parts == _TRAIN)))
        if seen:
            yield f"The {names[0]} model was trained on {seen} test buses of the {names[1]}."
    if count == 0:
        yield "The models have no common test bus: it is unknown which one is better."


def _list_config_differences(first: ModelRow, second: ModelRow) -> list[SettingDifferenceOut]:
    one, other = (row.manifest.get("config") or {} for row in (first, second))
    return [
        SettingDifferenceOut(name=name, first=one.get(name), second=other.get(name))
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def _compare_part(first: ModelRow, second: ModelRow, part: Part) -> ComparedPartOut:
    one, other = (ModelFigures.from_stored(row.metrics).on(part) for row in (first, second))
    return ComparedPartOut(
        counts=[one.count, other.count],
        accuracy=_compare_figure(one.accuracy, other.accuracy),
        macro_f1=_compare_figure(one.macro_f1, other.macro_f1),
        log_loss=_compare_figure(one.log_loss, other.log_loss),
        expected_calibration_error=_compare_figure(
            one.expected_calibration_error, other.expected_calibration_error
        ),
    )


def _compare_figure(first: float | None, second: float | None) -> ComparedFigureOut:
    difference = None if first is None or second is None else second - first
    return ComparedFigureOut(first=first, second=second, difference=difference)


def _measure_agreement(agree: BoolArray) -> AgreementOut:
    count, buses = int(np.count_nonzero(agree)), len(agree)
    return AgreementOut(count=count, buses=buses, share=count / buses if buses else None)


def _describe_common(pair: _Pair) -> CommonTestOut:
    truth = pair.truth[pair.common]
    counted = count_pairs(pair.first[pair.common] == truth, pair.second[pair.common] == truth)
    total = counted.count
    rights = (counted.both + counted.only_first, counted.both + counted.only_second)
    first, second = (right / total if total else None for right in rights)
    return CommonTestOut(
        buses=total,
        accuracy=_compare_figure(first, second),
        both_right=counted.both,
        only_first_right=counted.only_first,
        only_second_right=counted.only_second,
        neither_right=counted.neither,
        agreement=_measure_agreement((pair.first == pair.second)[pair.common]),
        p_value=counted.p_value,
        method="exact McNemar test, two-sided",
        verdict=_write_verdict(counted),
    )


def _write_verdict(counted: PairedCount) -> str:
    one, other = counted.only_first, counted.only_second
    if one == other:
        return f"Neither model is better on the {counted.count} common test buses."
    better, worse, more, less = (
        ("first", "second", one, other) if one > other else ("second", "first", other, one)
    )
    counts = (
        f"The {better} model is right where the {worse} is wrong at {more} buses, "
        f"and wrong where the {worse} is right at {less}"
    )
    if counted.p_value < _LIKELY_CHANCE:
        return f"{counts}: the difference is unlikely to be chance (p = {counted.p_value:.3g})."
    return f"{counts}: the difference may be due to chance (p = {counted.p_value:.2f})."


def _compare_classes(pair: _Pair) -> Iterator[ComparedClassOut]:
    predictions = (pair.first, pair.second)
    for code, name in enumerate(pair.class_names):
        of_class = pair.common & (pair.truth == code)
        support = int(np.count_nonzero(of_class))
        hits = [int(np.count_nonzero(codes[of_class] == code)) for codes in predictions]
        calls = [int(np.count_nonzero(codes[pair.common] == code)) for codes in predictions]
        recalls = [hit / support if support else None for hit in hits]
        precisions = [hit / call if call else None for hit, call in zip(hits, calls, strict=True)]
        yield ComparedClassOut(
            class_name=name,
            support=support,
            recall=_compare_figure(*recalls),
            precision=_compare_figure(*precisions),
            agreement=_measure_agreement((pair.first == pair.second)[of_class]),
        )
