"""Writes a model card as markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_LEFT_OUT = {"graph_id", "job_id", "id", "created_at", "scaling", "tensors", "types", "origin"}
"""Fields that differ in every run or do not help a reader."""


def write_page(card: Mapping[str, Any], command: str) -> str:
    """Return the card as markdown; ``command`` is the command that writes it."""
    model_id = card["model"]["id"]
    sections = [
        f"# Model card: {card['data']['label']} on {card['data']['grid']}",
        f"**{card['headline']}**",
        f"Written by `{command}`; do not edit. `{{id}}` is the id of the model.",
        "## Accuracy",
        _describe_accuracy(card),
        _metrics_table(card),
        "## Comparison with baselines on the same split",
        _baselines_table(card),
        "## Metrics per class (test buses)",
        _classes_table(card),
        "## Confusion matrix (test buses)",
        _confusion_table(card),
        "## Suitability of the label",
        _describe_suitability(card),
        "## Limitations",
        _bullets(card["limits"]),
        "## Replays",
        _bullets(replay["sentence"] for replay in card["replays"]),
        "## Data",
        _facts(card["data"]),
        "### Split",
        _facts(card["split"]),
        "### Settings",
        _facts(card["config"]),
        "### Training run",
        _facts(card["making"]),
        "### Promotions",
        _bullets(promotion["reason"] for promotion in card["promotions"]),
    ]
    return "\n\n".join(sections).replace(model_id, "{id}") + "\n"


def _describe_accuracy(card: Mapping[str, Any]) -> str:
    test, interval = card["metrics"]["test"], card["test_interval"]
    if interval is None:
        return "There were no labelled buses left for testing."
    return (
        f"{card['model']['what']}. Correct for {_percent(test['accuracy'])} of {test['count']} "
        f"test buses (95 % confidence interval {_percent(interval['low'])} to "
        f"{_percent(interval['high'])}, {interval['method']})."
    )


def _metrics_table(card: Mapping[str, Any]) -> str:
    head = ("set", "buses", "accuracy", "macro F1", "log loss", "calibration error")
    rows = [
        (
            part,
            str(figures["count"]),
            _percent(figures["accuracy"]),
            *(_score(figures[n]) for n in ("macro_f1", "log_loss", "expected_calibration_error")),
        )
        for part, figures in card["metrics"].items()
    ]
    return _table(head, rows)


def _baselines_table(card: Mapping[str, Any]) -> str:
    reports = card["baselines"] or {}
    if not reports.get("items"):
        return "No baselines were measured."
    head = ("method", "validation", "test", "macro F1, test", "description")
    own = card["metrics"]
    rows = [("this model", *_three(own["validation"], own["test"]), card["model"]["kind"])]
    for item in reports["items"]:
        if item["skipped"]:
            rows.append((item["title"], "–", "–", "–", f"skipped: {item['skipped']}"))
        else:
            what = item["description"] or _inline(item["settings"])
            rows.append((item["title"], *_three(item["validation"], item["test"]), what))
    return _table(head, rows)


def _three(validation: Mapping[str, Any], test: Mapping[str, Any]) -> tuple[str, str, str]:
    return _percent(validation["accuracy"]), _percent(test["accuracy"]), _score(test["macro_f1"])


def _classes_table(card: Mapping[str, Any]) -> str:
    head = ("class", "buses", "precision", "recall", "F1")
    rows = [
        (
            one["class"],
            str(one["support"]),
            *(_score(one[n]) for n in ("precision", "recall", "f1")),
        )
        for one in card["per_class"]
    ]
    return _table(head, rows)


def _confusion_table(card: Mapping[str, Any]) -> str:
    names = card["data"]["class_names"]
    rows = zip(names, card["confusion"] or [], strict=False)
    return _table(
        ("true class", *(f"predicted {name}" for name in names)),
        [(name, *map(str, counts)) for name, counts in rows],
    )


def _describe_suitability(card: Mapping[str, Any]) -> str:
    report = card["suitability"]
    if report is None:
        return "Not measured for this model."
    revealing = ", ".join(report.get("gives_away", [])) or "none"
    return f"{report['verdict']} Features that reveal the label: {revealing}."


def _facts(values: Mapping[str, Any]) -> str:
    return _bullets(
        f"{name.replace('_', ' ')}: {_inline(value)}"
        for name, value in values.items()
        if name not in _LEFT_OUT
    )


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_inline(inner)}" for name, inner in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_inline, value)) or "none"
    return "–" if value is None else str(value)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- none"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in lines)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
