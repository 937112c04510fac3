"""A model card as a page of markdown: what does not change from run to run, and the figures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_LEFT_OUT = {"graph_id", "job_id", "id", "created_at", "scaling", "tensors", "types", "origin"}
"""Other at every run, or of no use to a reader."""


def write_page(card: Mapping[str, Any], command: str) -> str:
    """Return the card as markdown; ``command`` is what writes it again."""
    model_id = card["model"]["id"]
    sections = [
        f"# Model card: {card['data']['label']} on {card['data']['grid']}",
        f"**{card['headline']}**",
        f"Written by `{command}`, never by hand; `{{id}}` stands for the id of the model.",
        "## How good is it?",
        _tell_accuracy(card),
        _metrics_table(card),
        "## Against baselines on the same split",
        _baselines_table(card),
        "## Class by class, on test",
        _classes_table(card),
        "## Confusion, on test",
        _confusion_table(card),
        "## Is the label worth learning?",
        _tell_suitability(card),
        "## Limits",
        _bullets(card["limits"]),
        "## Made again",
        _bullets(each["sentence"] for each in card["replays"]),
        "## What it was made of",
        _facts(card["data"]),
        "### Split",
        _facts(card["split"]),
        "### Settings",
        _facts(card["config"]),
        "### Making",
        _facts(card["making"]),
        "### Promotions",
        _bullets(each["reason"] for each in card["promotions"]),
    ]
    return "\n\n".join(sections).replace(model_id, "{id}") + "\n"


def _tell_accuracy(card: Mapping[str, Any]) -> str:
    test, interval = card["metrics"]["test"], card["test_interval"]
    if interval is None:
        return "No labelled bus was left to test it on."
    return (
        f"{card['model']['what']}. Right at {_percent(test['accuracy'])} of {test['count']} test "
        f"buses (95 % confidence interval {_percent(interval['low'])} to "
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
        return "None was measured."
    head = ("method", "validation", "test", "macro F1, test", "what it is")
    own = card["metrics"]
    rows = [("this model", *_three(own["validation"], own["test"]), card["model"]["kind"])]
    for item in reports["items"]:
        if item["skipped"]:
            rows.append((item["title"], "–", "–", "–", f"left out: {item['skipped']}"))
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
        ("true class", *(f"called {name}" for name in names)),
        [(name, *map(str, counts)) for name, counts in rows],
    )


def _tell_suitability(card: Mapping[str, Any]) -> str:
    report = card["suitability"]
    if report is None:
        return "Not measured with this model."
    gives = ", ".join(report.get("gives_away", [])) or "nothing"
    return f"{report['verdict']} What gives it away: {gives}."


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
