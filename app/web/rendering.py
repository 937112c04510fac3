"""Renders the page templates; all values are escaped."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.web.assets import asset_url


def render(name: str, **values: Any) -> str:
    """Return a page as HTML."""
    return _templates().get_template(name).render(**values)


@cache
def _templates() -> Environment:
    folder = Path(__file__).parent / "templates"
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined
    )
    environment.globals["asset"] = asset_url
    return environment
