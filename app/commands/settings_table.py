"""``levygrid settings``: tables of environment variables and training settings for docs/."""

import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import ml
from app.settings import Settings
from app.train.config import METHOD_MEANING, list_definitions
from ml import Interval


def settings_table() -> str:
    """Return a markdown table of the environment variables."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        variable = f"`LEVYGRID_{name.upper()}`"
        lines.append(f"| {variable} | {_format(field.default)} | {field.description} |")
    return "\n".join(lines)


def training_table() -> str:
    """Return a markdown table of the settings that ``config`` of a training request accepts."""
    lines = ["| setting | default | values | meaning | only with |", "|---|---|---|---|---|"]
    methods = " ".join(f"`{key}`" for key in ("auto", *(one.key for one in ml.NETWORKS)))
    lines.append(f'| `method` | `"auto"` | {methods} | {METHOD_MEANING} | |')
    (budget,) = (one for one in ml.list_fields(ml.AutoSettings) if one.name == "budget_seconds")
    meaning = ml.setting_of(budget).description
    lines.append(f"| `budget_seconds` | `null` | number in (0, 86400] | {meaning} | `auto` |")
    for one in list_definitions():
        documentation = ml.setting_of(one)
        values = _values(one.type, documentation.interval)
        users = ", ".join(f"`{method}`" for method in ml.list_users(one.name))
        default = json.dumps(one.default)
        older = f" Older name: `{documentation.stored_as}`." if documentation.stored_as else ""
        meaning = documentation.description + older
        lines.append(f"| `{one.name}` | `{default}` | {values} | {meaning} | {users} |")
    return "\n".join(lines)


def _values(hint: Any, interval: Interval | None) -> str:
    if get_origin(hint) is Literal:
        return " ".join(f"`{choice}`" for choice in get_args(hint))
    options = get_args(hint) or (hint,)
    kind = "true or false" if bool in options else "whole number" if int in options else "number"
    within = "" if interval is None else f" in {interval.text}"
    return f"{kind}{within}{' or null' if type(None) in options else ''}"


def _format(default: Any) -> str:
    if default is None or default == "":
        return "(empty)"
    if isinstance(default, Path):
        return f"`{default}/`"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
