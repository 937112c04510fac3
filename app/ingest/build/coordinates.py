"""Coordinates of the buses as the client wants them read: degrees, a drawing, or projected."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from app.errors import GridRejected
from app.grid.grid import CoordinateSystem, Grid
from app.grid.listing import join_first
from app.grid.report import PlaceSource, PlacesReport, ReadGrid
from app.ingest.build.attributes import Scalar, to_number
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

SYSTEMS = ("geographic", "schematic")
_EPSG = re.compile(r"EPSG:\d{4,6}", re.IGNORECASE)
_DEGREES = "EPSG:4326"
_NONE: frozenset[str] = frozenset()
_MOST = np.array([180.0, 90.0])
_EARTH_KM = 6371.0
_LEAST_LINES = 3
_LEAST_RATIO, _MOST_RATIO = 0.2, 2.0
"""Distance of the ends of a line over its length, for a grid whose coordinates are degrees."""


def find_coordinates_problem(text: str | None) -> str | None:
    """Return the problem of the form field ``coordinates``; None if it is acceptable."""
    if text is None or text in SYSTEMS or _EPSG.fullmatch(text):
        return None
    return "is not geographic, schematic or a reference system such as EPSG:25832"


def apply_coordinates(read: ReadGrid, choice: str | None) -> ReadGrid:
    """Read the coordinates of a grid as the client says, else as the file says.

    A reference system, named by the client or by the file, converts x (east) and y (north) to
    longitude and latitude. Coordinates that do not fit the system of the file stay a drawing.
    Raises: GridRejected if the numbers do not fit the choice, or the system is unknown.
    """
    reference = read.report.places.reference_system
    if read.grid.coordinate_system == "none":
        note = ["The file has no coordinates: `coordinates` has no effect."] if choice else []
        return replace(read, report=read.report.add_notes(note))
    if choice is not None:
        return _apply_choice(read, choice)
    if reference is None:
        return read
    try:
        return _place(read, _to_degrees(read.grid, reference), "geographic", "file", reference)
    except GridRejected as error:
        note = [f"Coordinates kept as a drawing: {fault.problem}." for fault in error.faults]
        kept = _place(read, read.grid.coordinates, "schematic", "file", None)
        return replace(kept, report=kept.report.add_notes(note))


def _apply_choice(read: ReadGrid, choice: str) -> ReadGrid:
    if choice == "schematic":
        return _place(read, read.grid.coordinates, "schematic", "request", None)
    reference = _DEGREES if choice == "geographic" else choice.upper()
    named = None if reference == _DEGREES else reference
    return _place(read, _to_degrees(read.grid, reference), "geographic", "request", named)


def _place(
    read: ReadGrid,
    coordinates: FloatArray,
    system: CoordinateSystem,
    source: PlaceSource,
    reference: str | None,
) -> ReadGrid:
    grid = replace(read.grid, coordinates=coordinates, coordinate_system=system)
    places = msgspec.structs.replace(read.report.places, source=source, reference_system=reference)
    report = msgspec.structs.replace(read.report, coordinates=system, places=places)
    return replace(read, grid=grid, report=report)


def find_drawing(rows: Sequence[Mapping[str, Scalar]], choice: str | None) -> frozenset[str]:
    """Return the columns x and y of a general format if they are coordinates, else nothing.

    They are features unless the client names how coordinates are read, and the buses have no
    latitude and longitude.
    """
    names = set().union(*rows) if choice else set()
    return frozenset(("x", "y")) if {"x", "y"} <= names and not {"lat", "lon"} & names else _NONE


def add_drawing(read: ReadGrid, rows: Sequence[Mapping[str, Scalar]]) -> ReadGrid:
    """Take x and y of the buses as coordinates; a bus without two numbers has none."""
    points = [(to_number(row.get("x")), to_number(row.get("y"))) for row in rows]
    coordinates = np.array(points, dtype=np.float64).reshape(-1, 2)
    placed = np.isfinite(coordinates).all(axis=1)
    coordinates[~placed] = np.nan
    if not placed.any():
        return read
    places = PlacesReport(buses=int(np.count_nonzero(placed)), source="file")
    drawn = replace(read, report=msgspec.structs.replace(read.report, places=places))
    return _place(drawn, coordinates, "schematic", "file", None)


def detect_degrees(coordinates: FloatArray, ends: IntArray, kilometres: FloatArray) -> bool:
    """Tell degrees from a drawing: lines are about as long as the way between their ends.

    Shapes: coordinates (N, 2), ends (E, 2) positions of buses, kilometres (E,) lengths of lines.
    """
    if not _are_degrees(coordinates[np.isfinite(coordinates).all(axis=1)]).all():
        return False
    distance = measure_distance(coordinates[ends[:, 0]], coordinates[ends[:, 1]])
    usable = np.isfinite(distance) & np.isfinite(kilometres) & (kilometres > 0) & (distance > 0)
    if np.count_nonzero(usable) < _LEAST_LINES:
        return False
    ratio = float(np.median(distance[usable] / kilometres[usable]))
    return _LEAST_RATIO <= ratio <= _MOST_RATIO


def measure_distance(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return great-circle distances in km between points of longitude and latitude, (E,)."""
    (lon_a, lat_a), (lon_b, lat_b) = np.radians(start).T, np.radians(end).T
    square = (
        np.sin((lat_b - lat_a) / 2) ** 2
        + np.cos(lat_a) * np.cos(lat_b) * np.sin((lon_b - lon_a) / 2) ** 2
    )
    distance: FloatArray = 2 * _EARTH_KM * np.arcsin(np.sqrt(np.clip(square, 0, 1)))
    return distance


def _to_degrees(grid: Grid, reference: str) -> FloatArray:
    """Return longitude and latitude. Raises: GridRejected if a bus is not on the globe."""
    given = grid.coordinates
    degrees = given if reference == _DEGREES else _convert(given, reference)
    placed = np.isfinite(given).all(axis=1)
    wrong = np.flatnonzero(placed & ~_are_degrees(degrees))
    if len(wrong):
        listed = join_first([grid.bus_ids[bus] for bus in wrong], 5)
        problem = f"{len(wrong):,} bus(es) are not on the globe when read as {reference}: {listed}"
        raise GridRejected("The coordinates do not fit.", [Fault("coordinates", problem)])
    return degrees


def _convert(coordinates: FloatArray, reference: str) -> FloatArray:
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    try:
        transformer = Transformer.from_crs(reference, _DEGREES, always_xy=True)
        longitude, latitude = transformer.transform(coordinates[:, 0], coordinates[:, 1])
    except ProjError as error:
        problem = f"{reference} is not a known reference system of places"
        raise GridRejected("Unknown reference system.", [Fault("coordinates", problem)]) from error
    return np.column_stack([longitude, latitude]).astype(np.float64)


def _are_degrees(points: FloatArray) -> BoolArray:
    within: BoolArray = np.isfinite(points) & (np.abs(points) <= _MOST)
    return np.asarray(within.all(axis=1))
