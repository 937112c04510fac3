"""Text columns of buses: which of them are worth keeping, so that they can become labels."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, TextColumn
from app.grid.text_rules import find_text_problem
from app.ingest.build.power_labels import natural_order

MOST_TEXT_COLUMNS = 30
_MOST_VALUES = 5000
_MOST_CHARACTERS = 100
_FEW_VALUES = 20
_LEAST_SHARE = 0.5
_BLANKS = " \t\r\n"


def choose_text_columns(columns: Mapping[str, Sequence[str]]) -> dict[str, TextColumn]:
    """Keep the columns that group buses; at most 30.

    Left out: a column with fewer than two values; one that names nearly every bus differently
    (more than 20 values, and more than half as many values as buses with a text), such as a
    name or a geometry; one of more than 20 numbers; one with more than 5,000 values. A text with
    control characters or of more than 100 characters counts as missing.
    """
    kept: dict[str, TextColumn] = {}
    for name, texts in columns.items():
        if len(kept) == MOST_TEXT_COLUMNS:
            break
        column = _make_column(texts)
        if find_text_problem(name, _MOST_CHARACTERS) is None and _groups_buses(column):
            kept[name] = column
    return kept


def _make_column(texts: Sequence[str]) -> TextColumn:
    usable = {text: _clean(text) for text in set(texts)}
    values = sorted({text for text in usable.values() if text}, key=natural_order)
    place = {text: code for code, text in enumerate(values)}
    code_of = {text: place.get(clean, UNKNOWN_CLASS) for text, clean in usable.items()}
    codes = np.fromiter((code_of[text] for text in texts), np.int64, len(texts))
    return TextColumn(tuple(values), codes)


def _clean(text: str) -> str:
    text = text.strip(_BLANKS).strip()
    return "" if find_text_problem(text, _MOST_CHARACTERS) else text


def _groups_buses(column: TextColumn) -> bool:
    known = int(np.count_nonzero(column.codes != UNKNOWN_CLASS))
    count = len(column.values)
    if not 2 <= count < known or count > _MOST_VALUES:
        return False
    if count <= _FEW_VALUES:
        return True
    return count <= _LEAST_SHARE * known and not all(map(_is_number, column.values))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
