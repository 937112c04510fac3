"""A grid as two tables, buses and branches, from which every export format is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.http.csv_text import Cell
from app.models.predictions import Answers, Predictions
from ml.arrays import FloatArray

Sheet: TypeAlias = dict[str, list[Cell]]

_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Exported:
    """A grid, its label sets, and the predictions of a model if there is one."""

    grid: Grid
    label_sets: Sequence[LabelSet]
    predictions: Predictions | None = None
    label: LabelSet | None = None
    """The label set of the topology format, which has room for one."""


def lay_out_buses(exported: Exported) -> Sheet:
    """Return one column per property of the buses; None for a missing value."""
    grid = exported.grid
    sheet: Sheet = {"id": list(grid.bus_ids)}
    if any(grid.bus_names):
        sheet["name"] = [name or None for name in grid.bus_names]
    if grid.coordinate_system in ("geographic", "schematic"):  # an import would take all as exact
        places = ("lon", "lat") if grid.coordinate_system == "geographic" else ("x", "y")
        for place, column in zip(places, grid.coordinates.T, strict=True):
            sheet[place] = _numbers(column)
    if grid.substations is not None and grid.substations.names:
        sheet["substation"] = [grid.substations.find_name(bus) for bus in range(grid.bus_count)]
    for names, values in (
        (grid.feature_names, grid.features),
        (grid.bus_columns.names, grid.bus_columns.values),
    ):
        for position, name in enumerate(names):
            sheet.setdefault(name, _numbers(values[:, position]))
    for label_set in exported.label_sets:
        sheet.setdefault(label_set.name, _classes(label_set))
    for name, column in grid.text_columns.items():
        sheet.setdefault(name, [column.find_text(bus) for bus in range(grid.bus_count)])
    if exported.predictions is not None:
        sheet |= lay_out_predictions(exported.predictions)
        add_answers(sheet, exported, exported.predictions)
    return sheet


def lay_out_branches(exported: Exported) -> Sheet:
    """Return one column per property of the branches."""
    grid = exported.grid
    sheet: Sheet = {
        "source": [grid.bus_ids[bus] for bus in grid.ends[:, 0]],
        "target": [grid.bus_ids[bus] for bus in grid.ends[:, 1]],
        "weight": _numbers(grid.weights),
        "kind": [grid.kind_names[kind] for kind in grid.kinds],
    }
    for position, name in enumerate(grid.branch_columns.names):
        sheet.setdefault(name, _numbers(grid.branch_columns.values[:, position]))
    return sheet


def lay_out_predictions(predictions: Predictions) -> Sheet:
    """Return the predicted class, its probability, and the probability of every class."""
    best = np.argmax(predictions.probabilities, axis=1)
    shares = predictions.probabilities.astype(np.float64).round(_DECIMALS)
    sheet: Sheet = {
        "predicted": [predictions.class_names[position] for position in best],
        "probability": _numbers(shares.max(axis=1)),
    }
    for position, name in enumerate(predictions.class_names):
        sheet[f"probability of {name}"] = _numbers(shares[:, position])
    return sheet


def add_answers(sheet: Sheet, exported: Exported, predictions: Predictions) -> None:
    """Add the known label, the answer and its source to a table of buses.

    A name that the grid already uses gets the addition "of the model".
    """
    labels = {label_set.name: label_set for label_set in exported.label_sets}
    joined = Answers.join(predictions, labels.get(predictions.label))
    names: list[Cell] = [*predictions.class_names, None]
    columns: Sheet = {
        "known_label": [names[position] for position in joined.known],
        "answer": [names[position] for position in joined.answers],
        "source": list(joined.sources),
    }
    for name, cells in columns.items():
        sheet[f"{name} of the model" if name in sheet else name] = cells


def _classes(label_set: LabelSet) -> list[Cell]:
    return [
        None if position == UNKNOWN_CLASS else label_set.class_names[position]
        for position in label_set.classes
    ]


def _numbers(column: FloatArray) -> list[Cell]:
    return [value if np.isfinite(value) else None for value in column.tolist()]
