"""Titles and descriptions of the methods, as cards and pages show them."""

from ml import METHODS


def name_kind(kind: str) -> str:
    """Return the title of a method; an unknown one is shown as it is stored."""
    return METHODS[kind].title if kind in METHODS else kind.upper()


def describe_kind(kind: str) -> str:
    """Return what a method does, in a few words."""
    return METHODS[kind].description if kind in METHODS else kind.upper()
