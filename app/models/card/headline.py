"""The headline of a model card: whether a baseline has a higher validation accuracy."""

from app.models.card.reports import (
    BaselineReport,
    BaselineReports,
    ModelFigures,
    Part,
    SelectionReport,
    StoredSuitability,
)
from app.storage.tables import ModelRow

_NOT_MEASURED = (
    "No baseline was measured, so it is unknown whether a simpler method would do as well."
)

_SIGNIFICANT = 0.05


def list_measured_baselines(row: ModelRow) -> list[BaselineReport]:
    """Return the baselines that were measured, highest validation accuracy first.

    Equal accuracies are common on few buses; macro F1 then decides.
    """
    items = BaselineReports.from_stored(row.baselines).items
    measured = [item for item in items if item.validation.accuracy is not None]
    return sorted(measured, key=_rank, reverse=True)


def find_best_baseline(row: ModelRow) -> BaselineReport | None:
    """Return the baseline with the highest validation accuracy, if one was measured."""
    return next(iter(list_measured_baselines(row)), None)


def find_better_baseline(row: ModelRow) -> BaselineReport | None:
    """Return the best baseline if its validation accuracy is higher than that of the model."""
    best = find_best_baseline(row)
    if best is None or best.validation.accuracy is None:
        return None
    accuracy = ModelFigures.from_stored(row.metrics).validation.accuracy
    return None if accuracy is not None and accuracy >= best.validation.accuracy else best


def list_baseline_warnings(row: ModelRow) -> list[str]:
    """Warn that a baseline beats the model on validation, with the call that promotes it."""
    better = find_better_baseline(row)
    if better is None:
        return []
    path = better.promote_path(row.id)
    advice = "" if path is None else f" POST {path} lets it answer instead."
    doubt = _describe_doubt(row, better)
    return [f"A baseline beats this model on validation: {_compare(row, better)}{doubt}{advice}"]


def warn_of_newer_labels(label: str, learnt: int, newest: int) -> list[str]:
    """Return a warning if the label set was replaced after a model learnt it."""
    if newest <= learnt:
        return []
    warning = (
        f"The label set {label!r} was replaced: this model has learnt version {learnt}, the newest "
        f"is version {newest}. Known labels are those of the newest version; train again to "
        "learn it."
    )
    return [warning]


def list_leak_warnings(row: ModelRow) -> list[str]:
    """Warn that the model was trained on columns that reveal its label."""
    report = StoredSuitability.from_stored(row.suitability)
    used = row.manifest.get("feature_names", [])
    revealed = row.manifest.get("revealed_columns", {})
    leaks = [name for name in used if name in report.gives_away or name in revealed]
    if not leaks:
        return []
    return [f"The model was trained on columns that reveal the label: {', '.join(leaks)}."]


def write_headline(row: ModelRow) -> str:
    """Return the first line of the card: how the model compares with its best baseline."""
    selection = SelectionReport.from_stored(row.manifest.get("selection"))
    if selection.members:
        return describe_choice(selection)
    warnings = list_baseline_warnings(row)
    if warnings:
        return warnings[0]
    best = find_best_baseline(row)
    if best is None:
        return _NOT_MEASURED
    comparison = _compare(row, best)
    if best.validation.accuracy == ModelFigures.from_stored(row.metrics).validation.accuracy:
        return f"A baseline is as good as this model on validation: {comparison}"
    return f"No baseline beats this model on validation; the best baseline: {comparison}"


def describe_choice(selection: SelectionReport) -> str:
    """Say which method was chosen automatically, and how good the model is expected to be."""
    titles = [(member.title or member.key, member.weight) for member in selection.members]
    chosen = " and ".join(
        title if weight == 1 else f"{weight:.0%} {title}" for title, weight in titles
    )
    chosen = chosen[:1].upper() + chosen[1:]
    if selection.estimate is None:
        return f"{chosen} was used without a comparison: {selection.reason}"
    evaluated = sum(one.accuracy is not None for one in selection.candidates)
    estimate = selection.estimate
    return (
        f"Expected accuracy on buses without a label {estimate.accuracy:.3f} (95 % interval "
        f"{estimate.low:.3f} to {estimate.high:.3f}). {chosen}: chosen among {evaluated} "
        f"candidates by cross-validation on {selection.labels} labels."
    )


def _rank(report: BaselineReport) -> tuple[float, float]:
    return report.validation.accuracy or 0.0, report.validation.macro_f1 or 0.0


def _compare(row: ModelRow, baseline: BaselineReport) -> str:
    count = ModelFigures.from_stored(row.metrics).validation.count or 0
    return (
        f"{baseline.title} has accuracy {_pair(row, baseline, 'validation')} ({count} buses); "
        f"on test {_pair(row, baseline, 'test')}."
    )


def _describe_doubt(row: ModelRow, baseline: BaselineReport) -> str:
    """Say so if the lead of a baseline may be chance.

    A lead of d buses has the smallest p-value of a two-sided sign test, ``2 / 2^d``, if model and
    baseline differ at these buses only.
    """
    own = ModelFigures.from_stored(row.metrics).validation
    lead = (baseline.validation.accuracy or 0.0) - (own.accuracy or 0.0)
    buses = max(1, round(lead * (own.count or 0)))
    least = min(1.0, 2 * 0.5**buses)
    if least <= _SIGNIFICANT:
        return ""
    counted = "1 bus" if buses == 1 else f"{buses} buses"
    return f" The lead is {counted} and may be chance (sign test: p at least {least:.2g})."


def _pair(row: ModelRow, baseline: BaselineReport, part: Part) -> str:
    other = baseline.validation if part == "validation" else baseline.test
    own = ModelFigures.from_stored(row.metrics).on(part)
    return f"{_format(other.accuracy)} against {_format(own.accuracy)}"


def _format(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
