"""Predictions of many buses as columns, rows, CSV or GeoJSON, written piece by piece.

Each form yields pieces of some hundred buses, so that an answer of any size needs little
memory. Starlette asks for each piece in a thread, not in the event loop.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from app.grid.grid import Grid
from app.grid.places import find_map_places
from app.http.csv_text import Cell, neutralise, write_lines
from app.http.responses import write_object
from app.models.predictions import PART_NAMES, Answers
from app.predict.answers import BusRow, ChosenModel, describe_buses, describe_model, round_shares
from ml.arrays import IntArray

Form = Literal["columns", "rows", "csv", "geojson"]
MEDIA_TYPES: dict[Form, str] = {
    "columns": "application/json",
    "rows": "application/json",
    "csv": "text/csv",
    "geojson": "application/geo+json",
}
_PIECE = 500
_SMALLEST_PIECE = 50
_PIECE_CELLS = 40_000
"""Probabilities per piece: with many classes a piece has fewer buses."""
_SHARES = BusRow.__struct_fields__.index("probabilities")


class Point(msgspec.Struct, tag_field="type", tag="Point", gc=False):
    """A place as longitude and latitude (RFC 7946)."""

    coordinates: list[float]


class Feature(msgspec.Struct, tag_field="type", tag="Feature", gc=False):
    """A bus with its cells; the geometry is null without coordinates."""

    geometry: Point | None
    properties: msgspec.Struct


def choose_form(accept: str) -> Form:
    """Return the form that an Accept header prefers: the first of ours that it names."""
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    by_kind: dict[str, Form] = {
        "application/json": "columns",
        "text/csv": "csv",
        "application/geo+json": "geojson",
    }
    return next((by_kind[kind] for kind in kinds if kind in by_kind), "columns")


def write(form: Form, model: ChosenModel, buses: IntArray) -> Iterator[bytes]:
    """Yield the predictions for these buses in a form."""
    return _WRITERS[form](model, buses)


def write_columns(model: ChosenModel, buses: IntArray) -> Iterator[bytes]:
    """Yield one list per property; described by ``schemas.PredictionColumnsOut``."""
    predictions = model.predictions
    best = np.argmax(predictions.probabilities[buses], axis=1)
    joined = Answers(best, model.truth[buses])
    known = joined.known.tolist()
    before = describe_model(model) | {
        "class_names": predictions.class_names,
        "bus_ids": [model.grid.bus_ids[bus] for bus in buses.tolist()],
        "classes": joined.predicted.tolist(),
    }
    after = {
        "truth": known,
        "known_labels": known,
        "answers": joined.answers.tolist(),
        "sources": joined.sources,
        "parts": [PART_NAMES[part] for part in predictions.parts[buses].tolist()],
    } | _list_trust(model, buses)
    shares = (round_shares(predictions.probabilities[piece]) for piece in _cut(model, buses))
    yield from write_object(before, "probabilities", shares, after)


def _list_trust(model: ChosenModel, buses: IntArray) -> dict[str, Any]:
    """Return prediction sets, as positions of classes, qualities and reasons as columns."""
    found = model.trust.assess(buses, model.predictions.probabilities[buses])
    return {
        "prediction_sets": found.members,
        "abstain": found.abstain,
        "quality": found.quality,
        "reasons": found.reasons,
    }


def write_rows(model: ChosenModel, buses: IntArray) -> Iterator[bytes]:
    """Yield one object per bus; described by ``schemas.PredictionRowsOut``."""
    before = describe_model(model) | {
        "class_names": model.predictions.class_names,
        "count": len(buses),
    }
    rows = (list(describe_buses(model, piece)) for piece in _cut(model, buses))
    yield from write_object(before, "rows", rows)


def write_csv(model: ChosenModel, buses: IntArray) -> Iterator[bytes]:
    """Yield one line per bus, with a column per class."""
    yield write_lines([[neutralise(name) for name in _name_cells(model)]])
    for piece in _cut(model, buses):
        yield write_lines(_tabulate(list(describe_buses(model, piece)), _to_safe_texts))


def write_geojson(model: ChosenModel, buses: IntArray) -> Iterator[bytes]:
    """Yield one point per bus; the geometry is null without coordinates on a map (RFC 7946)."""
    system = {"coordinate_system": model.grid.coordinate_system}
    before = {"type": "FeatureCollection"} | system | describe_model(model)
    places, properties = find_map_places(model.grid), _make_properties(_name_cells(model))
    features = (
        [
            Feature(geometry=_make_point(place), properties=properties(*cells))
            for place, cells in zip(
                places[piece].tolist(),
                _tabulate(list(describe_buses(model, piece)), _to_texts),
                strict=True,
            )
        ]
        for piece in _cut(model, buses)
    )
    yield from write_object(before, "features", features)


def find_points(grid: Grid, buses: Sequence[int]) -> list[Point | None]:
    """Return the GeoJSON geometry of each of these buses, None without geographic coordinates."""
    return [_make_point(place) for place in find_map_places(grid)[list(buses)].tolist()]


def _name_cells(model: ChosenModel) -> list[str]:
    """Return the names of the cells of a row: its fields, and one column per class."""
    names = list(BusRow.__struct_encode_fields__)
    shares = [f"probability of {name}" for name in model.predictions.class_names]
    return [*names[:_SHARES], "probability", *shares, *names[_SHARES + 1 :]]


def _make_properties(names: list[str]) -> type[msgspec.Struct]:
    """Return a struct with these names in JSON; it is written faster than a dictionary."""
    fields = [f"cell_{position}" for position in range(len(names))]
    renamed = dict(zip(fields, names, strict=True))
    return msgspec.defstruct("Properties", fields, rename=renamed, gc=False)


def _tabulate(
    rows: Sequence[BusRow], convert: Callable[[Sequence[Any]], Sequence[Cell]]
) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of each row; ``convert`` is applied to columns without probabilities."""
    columns = list(zip(*map(msgspec.structs.astuple, rows), strict=True))
    shares = columns[_SHARES]
    highest = [share[row.predicted] for share, row in zip(shares, rows, strict=True)]
    by_class = zip(*(share.values() for share in shares), strict=True)
    before, after = map(convert, columns[:_SHARES]), map(convert, columns[_SHARES + 1 :])
    return zip(*before, highest, *by_class, *after, strict=True)


def _to_texts(column: Sequence[Any]) -> Sequence[Cell]:
    """Write lists as text."""
    if list not in set(map(type, column)):
        return column
    return ["; ".join(value) if isinstance(value, list) else value for value in column]


def _to_safe_texts(column: Sequence[Any]) -> Sequence[Cell]:
    """Write lists as text, and no text that a spreadsheet would run as a formula."""
    texts = _to_texts(column)
    safe = {text: _make_safe(text) for text in set(texts)}  # most columns have few values
    return [safe[text] for text in texts]


def _make_safe(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return neutralise(cell)


def _cut(model: ChosenModel, buses: IntArray) -> Iterator[IntArray]:
    size = _PIECE_CELLS // max(1, len(model.predictions.class_names))
    size = min(_PIECE, max(_SMALLEST_PIECE, size))
    for first in range(0, len(buses), size):
        yield buses[first : first + size]


def _make_point(place: list[float]) -> Point | None:
    return Point(coordinates=place) if all(map(math.isfinite, place)) else None


_WRITERS: dict[Form, Callable[[ChosenModel, IntArray], Iterator[bytes]]] = {
    "columns": write_columns,
    "rows": write_rows,
    "csv": write_csv,
    "geojson": write_geojson,
}
