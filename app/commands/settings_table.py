"""``levygrid settings``: every environment variable, for docs/settings.md."""

from pathlib import Path
from typing import Any

from app.settings import Settings


def settings_table() -> str:
    """Return a markdown table of names, defaults and meanings."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        variable = f"`LEVYGRID_{name.upper()}`"
        lines.append(f"| {variable} | {_shown(field.default)} | {field.description} |")
    return "\n".join(lines)


def _shown(default: Any) -> str:
    if default is None or default == "":
        return "(empty)"
    if isinstance(default, Path):
        return f"`{default}/`"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
