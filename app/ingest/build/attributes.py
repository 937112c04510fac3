"""Attributes of the nodes and edges of a general format: numbers, texts, gaps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Scalar: TypeAlias = str | float | None


def list_numeric_columns(rows: Sequence[Mapping[str, Scalar]]) -> list[str]:
    """Return the columns that are a finite number in every row."""
    names = list(rows[0]) if rows else []
    return [name for name in names if all(is_number(row.get(name)) for row in rows)]


def is_number(value: Scalar) -> bool:
    """Tell a finite number from text and gaps."""
    return isinstance(value, float) and math.isfinite(value)


def to_number(value: Scalar) -> float:
    """Return a number, nan for anything else."""
    return value if isinstance(value, float) else math.nan


def to_text(value: Any) -> str:
    """Write a value as the text of a class or id: 3.0 becomes 3."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
