"""``levygrid settings``: environment variables and training settings, as tables for docs/."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from app.settings import Settings
from ml import TrainingConfig
from ml.config.field import Interval, setting_of


def settings_table() -> str:
    """Return a markdown table of names, defaults and meanings."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        variable = f"`LEVYGRID_{name.upper()}`"
        lines.append(f"| {variable} | {_shown(field.default)} | {field.description} |")
    return "\n".join(lines)


def training_table() -> str:
    """Return a markdown table of what ``config`` of a training request takes."""
    hints = get_type_hints(TrainingConfig)
    lines = ["| setting | default | values | meaning | only with |", "|---|---|---|---|---|"]
    for each in fields(TrainingConfig):
        told = setting_of(each)
        values = _values(hints[each.name], told.interval)
        methods = ", ".join(f"`{method}`" for method in told.only)
        default = json.dumps(each.default)
        lines.append(f"| `{each.name}` | `{default}` | {values} | {told.description} | {methods} |")
    return "\n".join(lines)


def _values(hint: Any, interval: Interval | None) -> str:
    if get_origin(hint) is Literal:
        return " ".join(f"`{choice}`" for choice in get_args(hint))
    options = get_args(hint) or (hint,)
    kind = "true or false" if bool in options else "whole number" if int in options else "number"
    within = "" if interval is None else f" in {interval.text}"
    return f"{kind}{within}{' or null' if type(None) in options else ''}"


def _shown(default: Any) -> str:
    if default is None or default == "":
        return "(empty)"
    if isinstance(default, Path):
        return f"`{default}/`"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
