"""Texts of the generated pages, read from ``experiments/notes``."""

from pathlib import Path
from string import Template

from experiments.paths import NOTES


def read_note(name: str, **values: object) -> str:
    """Return a note with its ``$placeholders`` replaced by the given values."""
    return Template(_path(name).read_text(encoding="utf-8")).substitute(values).rstrip()


def has_note(name: str) -> bool:
    """Return whether there is a note of this name."""
    return _path(name).is_file()


def _path(name: str) -> Path:
    return NOTES / f"{name}.md"
