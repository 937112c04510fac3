"""The limits of a model: sentences for its card on what its figures do not show."""

from collections.abc import Iterator

from app.models.card.headline import list_leak_warnings
from app.models.card.kinds import name_kind
from app.models.card.reports import (
    CROSS_VALIDATION,
    BaselineReports,
    ModelFigures,
    SelectionReport,
    SplitRequest,
    StoredSuitability,
)
from app.models.card.schema import IntervalOut
from app.storage.tables import ModelRow
from ml import list_ignored_settings

_FEW_LABELS = 100
_USUAL_FOLDS = 3
_FEW = 10
_MOST_NAMED = 5
_CALIBRATION = 0.1


def list_limits(row: ModelRow, interval: IntervalOut | None) -> list[str]:
    """Return the limits that follow from the measurements and from how the model was trained."""
    return [
        *_list_test_limits(row, interval),
        *_list_selection_limits(row),
        *_list_class_limits(row),
        *_list_calibration_limits(row),
        *_list_baseline_limits(row),
        *_list_label_limits(row),
        *_list_idle_settings(row),
        "The model is only valid for this version of this grid; a new bus needs a new model.",
        _describe_evaluation(row),
    ]


def _describe_evaluation(row: ModelRow) -> str:
    if not _is_cross_validated(row):
        return "The figures come from one split and one seed; another split gives other figures."
    return (
        "The figures are out of fold: every labelled bus is judged by models that did not see its "
        "label. They hold for other buses as far as the labelled ones are a random sample."
    )


def _is_cross_validated(row: ModelRow) -> bool:
    request = SplitRequest.from_stored(row.manifest.get("split_request"))
    return request.kind == CROSS_VALIDATION


def _list_test_limits(row: ModelRow, interval: IntervalOut | None) -> Iterator[str]:
    if interval is None:
        yield "There were no labelled test buses, so the accuracy of the model is unknown."
        return
    count = ModelFigures.from_stored(row.metrics).test.count
    if _is_cross_validated(row):
        return
    yield (
        f"The test accuracy was measured on {count} buses: its 95 % confidence interval is "
        f"{interval.low:.3f} to {interval.high:.3f}, assuming independent buses; "
        "buses of one grid are not fully independent."
    )


def _list_selection_limits(row: ModelRow) -> Iterator[str]:
    """Say what the figures of an automatic choice rest on."""
    selection = SelectionReport.from_stored(row.manifest.get("selection"))
    if selection.estimate is None:
        return
    if selection.labels and selection.labels < _FEW_LABELS:
        yield (
            f"Only {selection.labels} labels were known: one bus is worth "
            f"{100 / selection.labels:.1f} points of the out-of-fold accuracy."
        )
    if 0 < selection.folds < _USUAL_FOLDS:
        yield (
            f"Most classes have few labels, so each model was judged with 1/{selection.folds} of "
            "them hidden; the final model uses all of them and is probably better than the "
            "expected accuracy says."
        )
    ungrouped = selection.estimate.ungrouped
    if ungrouped is not None:
        yield (
            "Buses of one substation were held out together. If they are not, the out-of-fold "
            f"accuracy is {ungrouped:.3f}: expect this at a bus whose substation has a known label."
        )


def _list_class_limits(row: ModelRow) -> Iterator[str]:
    per_class = ModelFigures.from_stored(row.metrics).test.per_class
    pairs = list(zip(row.class_names, per_class, strict=False))
    few = [(name, one.support) for name, one in pairs if one.support < _FEW]
    what = "known" if _is_cross_validated(row) else "test"
    if len(few) == 1:
        name, support = few[0]
        yield f"Class {name!r} has only {support} {what} buses: its figures are not reliable."
    elif few:
        listed = ", ".join(f"{name!r} {support}" for name, support in few[:_MOST_NAMED])
        more = ", ..." if len(few) > _MOST_NAMED else ""
        yield (
            f"{len(few)} of {len(pairs)} classes have fewer than {_FEW} {what} buses ({listed}"
            f"{more}): their figures are not reliable."
        )
    for name, one in pairs:
        if one.support >= _FEW and not one.recall:
            yield f"Class {name!r} is never recognised: all {one.support} {what} buses are wrong."


def _list_calibration_limits(row: ModelRow) -> Iterator[str]:
    error = ModelFigures.from_stored(row.metrics).test.expected_calibration_error
    if error is not None and error > _CALIBRATION:
        yield (
            f"The expected calibration error of the probabilities is {error:.2f}: "
            "use them to rank buses, not as probabilities."
        )


def _list_baseline_limits(row: ModelRow) -> Iterator[str]:
    if SelectionReport.from_stored(row.manifest.get("selection")).members:
        return
    reports = BaselineReports.from_stored(row.baselines)
    if reports.omitted:
        yield f"Not compared with any baseline: {reports.omitted}."
    elif not row.baselines:
        yield "Not compared with any baseline: none was measured with this model."
    skipped = [item.title for item in reports.items if item.skipped]
    if skipped:
        yield f"Not compared with {', '.join(skipped)}; the table of baselines gives the reason."
    if any(item.tried > 1 for item in reports.items):
        yield (
            "The settings of the baselines and the best epoch of the model were chosen on the "
            "validation buses, so all validation accuracies are slightly too high; "
            "the test accuracies are not affected."
        )


def _list_label_limits(row: ModelRow) -> Iterator[str]:
    hidden = row.manifest.get("hidden_columns")
    if hidden:
        columns: dict[str, list[str]] = {}
        for name, why in sorted(hidden.items()):
            columns.setdefault(why, []).append(name)
        reasons = "; ".join(f"{', '.join(names)} ({why})" for why, names in columns.items())
        yield f"Columns that give the label away were hidden from the features: {reasons}."
    if row.suitability is None:
        yield (
            "It was not checked whether the features reveal the label; "
            f"GET /graphs/{row.graph_id}/labels/{row.label}/suitability does."
        )
        yield from list_leak_warnings(row)
        return
    yield from list_leak_warnings(row)
    small = StoredSuitability.from_stored(row.suitability).classes_too_small
    if small:
        yield f"Classes with too few buses to train and to test: {', '.join(map(repr, small))}."


def _list_idle_settings(row: ModelRow) -> Iterator[str]:
    """Name settings that were changed without effect.

    A baseline is skipped: it merely inherits the settings of its model.
    """
    if (row.manifest.get("origin") or {}).get("kind") == "baseline":
        return
    idle = list_ignored_settings(row.manifest.get("config", {}))
    if idle:
        yield f"These changed settings have no effect on {name_kind(row.kind)}: {', '.join(idle)}."
