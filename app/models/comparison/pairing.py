"""Two models of one grid and label, side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from app.errors import ModelsNotComparable
from app.graphs.packing import read_label_row
from app.graphs.service import get_detail
from app.models.predictions import PART_NAMES, Predictions
from app.models.service import find_promotion, get_model, load_predictions
from app.storage.tables import ModelRow
from ml.arrays import BoolArray, IntArray
from ml.graph.graph import UNLABELLED
from ml.graph.mcnemar import PairedCount, count_pairs

_MEASURES = ("accuracy", "macro_f1", "log_loss", "expected_calibration_error")
_TRAIN, _TEST = PART_NAMES.index("train"), PART_NAMES.index("test")
_LIKELY_CHANCE = 0.05


@dataclass(frozen=True, eq=False)
class _Pair:
    """What both models say, in the classes of the labels. Shapes: all (N,)."""

    class_names: tuple[str, ...]
    truth: IntArray
    first: IntArray
    second: IntArray
    common: BoolArray
    """True where both have tested on a bus with a label."""


def compare_models(session: Session, first_id: str, second_id: str) -> dict[str, Any]:
    """Set two models side by side; see ``ModelComparisonOut``.

    Raises: ModelNotFound; ModelsNotComparable unless both are of one grid and label.
    """
    rows = get_model(session, first_id), get_model(session, second_id)
    for what, name in (("grids", "graph_id"), ("labels", "label")):
        if getattr(rows[0], name) != getattr(rows[1], name):
            raise ModelsNotComparable(f"The models are of different {what}.")
    said = load_predictions(session, first_id), load_predictions(session, second_id)
    pair = _make_pair(session, rows[0], *said)
    counted = _count(pair)
    return {
        "first": _describe(session, rows[0]),
        "second": _describe(session, rows[1]),
        "warnings": list(_list_warnings(*rows, *said, pair)),
        "config": _list_config_differences(*rows),
        "metrics": {part: _compare_metrics(*rows, part) for part in PART_NAMES if part},
        "agreement": _share(pair.first == pair.second),
        "common_test": _describe_common(pair, counted),
        "per_class": list(_compare_classes(pair)),
    }


def _make_pair(session: Session, row: ModelRow, first: Predictions, second: Predictions) -> _Pair:
    labels = {each.name: each for each in get_detail(session, row.graph_id).labels}
    label_set = read_label_row(labels[row.label])
    tested = (first.parts == _TEST) & (second.parts == _TEST)
    return _Pair(
        class_names=label_set.class_names,
        truth=label_set.classes,
        first=_called(first, label_set.class_names),
        second=_called(second, label_set.class_names),
        common=tested & (label_set.classes != UNLABELLED),
    )


def _called(predictions: Predictions, class_names: tuple[str, ...]) -> IntArray:
    places = np.array([class_names.index(name) for name in predictions.class_names])
    return np.asarray(places[np.argmax(predictions.probabilities, axis=1)], dtype=np.int64)


def _count(pair: _Pair) -> PairedCount:
    truth = pair.truth[pair.common]
    return count_pairs(pair.first[pair.common] == truth, pair.second[pair.common] == truth)


def _describe(session: Session, row: ModelRow) -> dict[str, Any]:
    active = find_promotion(session, row.id) is not None
    split = (row.manifest.get("split") or {}).get("hash")
    return {"id": row.id, "kind": row.kind, "active": active, "split_hash": split}


def _list_warnings(
    first: ModelRow, second: ModelRow, said: Predictions, also: Predictions, pair: _Pair
) -> Iterator[str]:
    hashes = [(row.manifest.get("split") or {}).get("hash") for row in (first, second)]
    count = int(np.count_nonzero(pair.common))
    if hashes[0] != hashes[1]:
        yield (
            f"The splits differ: figures of validation and test are of different buses; only the "
            f"{count} buses that both have tested on are compared one by one."
        )
    for one, other, name in ((said, also, "second"), (also, said, "first")):
        seen = int(np.count_nonzero((one.parts == _TEST) & (other.parts == _TRAIN)))
        if seen:
            yield f"The {name} model was trained on {seen} of the other's test buses."
    if count == 0:
        yield "No bus was tested on by both: nothing can be said of which is better."


def _list_config_differences(first: ModelRow, second: ModelRow) -> list[dict[str, Any]]:
    configs = [row.manifest.get("config") or {} for row in (first, second)]
    names = dict.fromkeys([*configs[0], *configs[1]])
    values = {name: (configs[0].get(name), configs[1].get(name)) for name in names}
    return [
        {"name": name, "first": one, "second": other}
        for name, (one, other) in values.items()
        if one != other
    ]


def _compare_metrics(first: ModelRow, second: ModelRow, part: str) -> dict[str, Any]:
    figures = [row.metrics.get(part) or {} for row in (first, second)]
    return {
        "counts": [each.get("count") for each in figures],
        **{name: _difference(*(each.get(name) for each in figures)) for name in _MEASURES},
    }


def _difference(first: float | None, second: float | None) -> dict[str, float | None]:
    gap = None if first is None or second is None else second - first
    return {"first": first, "second": second, "difference": gap}


def _share(agree: BoolArray) -> dict[str, Any]:
    count, buses = int(np.count_nonzero(agree)), len(agree)
    return {"count": count, "buses": buses, "share": count / buses if buses else None}


def _describe_common(pair: _Pair, counted: PairedCount) -> dict[str, Any]:
    total = counted.count
    rights = (counted.both + counted.only_first, counted.both + counted.only_second)
    first, second = (right / total if total else None for right in rights)
    return {
        "buses": total,
        "accuracy": _difference(first, second),
        "both_right": counted.both,
        "only_first_right": counted.only_first,
        "only_second_right": counted.only_second,
        "neither_right": counted.neither,
        "agreement": _share((pair.first == pair.second)[pair.common]),
        "p_value": counted.p_value,
        "method": "exact McNemar test, two-sided",
        "verdict": _tell(counted),
    }


def _tell(counted: PairedCount) -> str:
    one, other = counted.only_first, counted.only_second
    if one == other:
        return f"Neither is better on the {counted.count} common test buses."
    name, more, less = ("first", one, other) if one > other else ("second", other, one)
    told = (
        f"The {name} model is right where the other is wrong at {more} buses, "
        f"the other way round at {less}"
    )
    if counted.p_value < _LIKELY_CHANCE:
        return f"{told}: too uneven to be chance (p = {counted.p_value:.3g})."
    return f"{told}: that may well be chance (p = {counted.p_value:.2f})."


def _compare_classes(pair: _Pair) -> Iterator[dict[str, Any]]:
    for code, name in enumerate(pair.class_names):
        of_class = pair.common & (pair.truth == code)
        support = int(np.count_nonzero(of_class))
        hits = [int(np.count_nonzero(said[of_class] == code)) for said in (pair.first, pair.second)]
        calls = [
            int(np.count_nonzero(said[pair.common] == code)) for said in (pair.first, pair.second)
        ]
        recalls = [hit / support if support else None for hit in hits]
        precisions = [hit / call if call else None for hit, call in zip(hits, calls, strict=True)]
        yield {
            "class": name,
            "support": support,
            "recall": _difference(*recalls),
            "precision": _difference(*precisions),
            "agreement": _share((pair.first == pair.second)[of_class]),
        }
