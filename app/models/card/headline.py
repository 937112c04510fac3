"""Whether a model is worth its trouble: how it stands against its baselines on validation."""

from typing import Any

from app.storage.tables import ModelRow

_NOT_MEASURED = (
    "No baseline was measured, so nobody knows whether a simpler method would do as well."
)


def find_call(row: ModelRow, item: dict[str, Any]) -> str | None:
    """Return the address whose POST makes a baseline answer, if it was kept."""
    if "model_id" in item:
        return f"/models/{item['model_id']}/promote"
    if not item.get("promotable"):
        return None
    return f"/models/{item.get('owner_id', row.id)}/baselines/{item['key']}/promote"


def add_calls(row: ModelRow) -> dict[str, Any] | None:
    """Return the reports of the baselines, each with the call that promotes it."""
    if row.baselines is None:
        return None
    items = [item | {"promote": find_call(row, item)} for item in row.baselines.get("items", [])]
    return row.baselines | {"items": items}


def find_better(row: ModelRow) -> dict[str, Any] | None:
    """Return the baseline that beats the model on validation, if one does."""
    best = find_best_baseline(row)
    own = find_accuracy(row.metrics)
    theirs = None if best is None else find_accuracy(best)
    if theirs is None or (own is not None and own >= theirs):
        return None
    return best


def list_measured(row: ModelRow) -> list[dict[str, Any]]:
    """Return the reports of the baselines that were measured, best on validation first.

    Equal accuracies are common on few buses; macro F1 then decides.
    """
    items = (row.baselines or {}).get("items", [])
    measured = [item for item in items if find_accuracy(item) is not None]
    return sorted(measured, key=_rank, reverse=True)


def find_best_baseline(row: ModelRow) -> dict[str, Any] | None:
    """Return the report of the baseline that is best on validation, if one was measured."""
    best = next(iter(list_measured(row)), None)
    return None if best is None else best | {"promote": find_call(row, best)}


def list_warnings(row: ModelRow) -> list[str]:
    """Say that a baseline beats the model on validation, if one does, and how to promote it."""
    better = find_better(row)
    if better is None:
        return []
    call = better["promote"]
    advice = "" if call is None else f" POST {call} lets it answer instead."
    return [f"A baseline beats this model on validation: {_compare(row, better)}{advice}"]


def list_leaks(row: ModelRow) -> list[str]:
    """Say that the model was shown columns which give its label away, if it was."""
    report = row.suitability or {}
    used = row.manifest.get("feature_names", [])
    leaks = [name for name in report.get("gives_away", []) if name in used]
    if not leaks:
        return []
    return [f"It was shown columns that give the label away: {', '.join(leaks)}."]


def tell_headline(row: ModelRow) -> str:
    """Return the first line of the card: who wins on validation, or that nobody knows."""
    warnings = list_warnings(row)
    if warnings:
        return warnings[0]
    best = find_best_baseline(row)
    if best is None:
        return _NOT_MEASURED
    if find_accuracy(best) == find_accuracy(row.metrics):
        return f"A baseline is as good as this model on validation: {_compare(row, best)}"
    return f"No baseline beats this model on validation; the best of them: {_compare(row, best)}"


def find_accuracy(report: dict[str, Any], part: str = "validation") -> float | None:
    """Return the accuracy of a model or baseline on a part of the split, if known."""
    accuracy = (report.get(part) or {}).get("accuracy")
    return None if accuracy is None else float(accuracy)


def _rank(item: dict[str, Any]) -> tuple[float, float]:
    return find_accuracy(item) or 0.0, item["validation"].get("macro_f1") or 0.0


def _compare(row: ModelRow, baseline: dict[str, Any]) -> str:
    count = (row.metrics.get("validation") or {}).get("count", 0)
    validation = _pair(row, baseline, "validation")
    return (
        f"{baseline['title']} has accuracy {validation} ({count} buses); "
        f"on test {_pair(row, baseline, 'test')}."
    )


def _pair(row: ModelRow, baseline: dict[str, Any], part: str) -> str:
    theirs, own = find_accuracy(baseline, part), find_accuracy(row.metrics, part)
    return f"{_figure(theirs)} against {_figure(own)}"


def _figure(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
