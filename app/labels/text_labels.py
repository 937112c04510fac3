"""Label sets made of a column of the buses: spellings are merged, rare values grouped."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec
import numpy as np

from app.errors import LabelsRejected
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet, TextColumn
from app.grid.hidden_columns import hide_column
from app.grid.listing import Listing, make_listing
from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.power_labels import natural_order
from app.labels.uploaded import MOST_CLASSES
from ml.errors import Fault

TextRule = Literal["case", "spaces", "lists"]
TEXT_RULES: tuple[TextRule, ...] = get_args(TextRule)
OTHER = "other"
_BLANKS = re.compile(r"[\s_]+")
_LIST = re.compile(r"[;|]")
_MEANINGS: dict[str, str] = {
    "lists": "of a list (a;b) the first value counts",
    "spaces": "blanks and underscores are the same, and repeated ones count once",
    "case": "upper and lower case are the same",
}


class TextChoice(msgspec.Struct, frozen=True):
    """How a column becomes a label set; values on fewer than ``smallest`` buses are grouped."""

    column: str
    name: str = ""
    rules: tuple[TextRule, ...] = TEXT_RULES
    smallest: int = 1


class TextLabelReport(msgspec.Struct, frozen=True):
    """What the rules have changed: values merged into each class, and values grouped."""

    column: str
    rules: dict[str, str]
    values: int
    merged: dict[str, list[str]]
    """Spellings that became one class, for the first 20 classes of several spellings."""
    merged_values: int
    grouped: Listing


def label_by_text(grid: Grid, choice: TextChoice) -> tuple[LabelSet, TextLabelReport]:
    """Make a label set of a column; a class has its most frequent spelling as its name.

    The values of a numeric column are classes too; the label set hides the column.
    Raises: LabelsRejected for an unknown column, fewer than two or more than 1,000 classes, or
        a name that is not allowed.
    """
    column = _find_column(grid, choice)
    counts = _count(column)
    spellings = _merge(column.values, counts, choice.rules)
    names = {value: name for name, values in spellings.items() for value in values}
    sizes = {name: sum(counts[value] for value in values) for name, values in spellings.items()}
    rare = sorted((name for name in sizes if sizes[name] < choice.smallest), key=natural_order)
    other = next((name for name in sizes if name.casefold() == OTHER), OTHER)
    titles = {value: other if name in set(rare) else name for value, name in names.items()}
    class_names = sorted(set(titles.values()), key=natural_order)
    _check_classes(class_names)
    code_of = {name: code for code, name in enumerate(class_names)}
    codes = [code_of[titles[value]] for value in column.values]
    classes = np.array([*codes, UNKNOWN_CLASS], dtype=np.int64)[column.codes]
    label_set = LabelSet(
        choice.name or choice.column,
        tuple(class_names),
        classes,
        _define(choice, bool(rare)),
        hides=hide_column(grid, choice.column),
    )
    several = {name: values for name, values in spellings.items() if len(values) > 1}
    report = TextLabelReport(
        column=choice.column,
        rules={rule: _MEANINGS[rule] for rule in _MEANINGS if rule in choice.rules},
        values=len(column.values),
        merged={name: several[name][:10] for name in sorted(several, key=natural_order)[:20]},
        merged_values=sum(len(values) - 1 for values in several.values()),
        grouped=make_listing(rare),
    )
    return label_set, report


def _find_column(grid: Grid, choice: TextChoice) -> TextColumn:
    faults = []
    column = grid.text_columns.get(choice.column) or _find_numbers(grid, choice.column)
    if column is None:
        offered = ", ".join(grid.text_columns) or "none"
        problem = f"{shorten(choice.column)} is not a column of this grid; text columns: {offered}"
        faults.append(Fault("column", problem))
    name = choice.name or choice.column
    problem_of_name = find_text_problem(name, 100)
    if problem_of_name or "/" in name:
        faults.append(Fault("name", problem_of_name or "contains a slash"))
    if faults or column is None:
        raise LabelsRejected("The labels have errors.", faults)
    return column


def _find_numbers(grid: Grid, name: str) -> TextColumn | None:
    """Return a numeric column as texts; a bus without a number has none."""
    numbers = grid.find_column(name)
    if numbers is None:
        return None
    known = np.isfinite(numbers)
    values, codes = np.unique(numbers[known], return_inverse=True)
    places = np.full(len(numbers), UNKNOWN_CLASS, dtype=np.int64)
    places[known] = codes.ravel()
    return TextColumn(tuple(repr(value).removesuffix(".0") for value in values.tolist()), places)


def _count(column: TextColumn) -> dict[str, int]:
    known = column.codes[column.codes != UNKNOWN_CLASS]
    counts = np.bincount(known, minlength=len(column.values)).tolist()
    return dict(zip(column.values, counts, strict=True))


def _merge(
    values: Sequence[str], counts: dict[str, int], rules: Sequence[TextRule]
) -> dict[str, list[str]]:
    """Return the spellings of each class, most frequent first, by the name of the class."""
    groups: dict[str, list[str]] = {}
    for value in values:
        key = value
        for rule in _MEANINGS:
            key = _KEYS[rule](key) if rule in rules else key
        groups.setdefault(key or value, []).append(value)
    merged: dict[str, list[str]] = {}
    for group in groups.values():
        ordered = sorted(group, key=lambda value: (-counts[value], natural_order(value)))
        names = Counter[str]()
        for value in ordered:
            names[_take_first(value) if "lists" in rules else value] += counts[value]
        merged[names.most_common(1)[0][0]] = ordered
    return merged


def _take_first(text: str) -> str:
    return next((part.strip() for part in _LIST.split(text) if part.strip()), text)


_KEYS: dict[str, Callable[[str], str]] = {
    "lists": _take_first,
    "spaces": lambda text: _BLANKS.sub(" ", text).strip(),
    "case": str.casefold,
}


def _check_classes(class_names: Sequence[str]) -> None:
    problem = ""
    if len(class_names) < 2:
        problem = "has a single class; a label set needs two"
    elif len(class_names) > MOST_CLASSES:
        problem = (
            f"has {len(class_names):,} classes, more than {MOST_CLASSES:,}: group rare values "
            "with `smallest`"
        )
    if problem:
        raise LabelsRejected("The labels have errors.", [Fault("column", problem)])


def _define(choice: TextChoice, grouped: bool) -> str:
    parts = [f"column {choice.column!r} of the file"]
    parts += [meaning for rule, meaning in _MEANINGS.items() if rule in choice.rules]
    if grouped:
        parts.append(f"values on fewer than {choice.smallest} buses are {OTHER!r}")
    return "; ".join(parts)
