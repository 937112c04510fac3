"""Substations, places and branches of the nodes of a graph."""

from dataclasses import dataclass

from ml.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is known about the nodes beside their features; None where it is unknown.

    ``branches`` are columns that describe the branches at each node.

    Shapes: groups (N,), coordinates (N, 2) latitude and longitude in degrees, branches (N, B).
    """

    groups: IntArray | None = None
    coordinates: FloatArray | None = None
    branches: FloatArray | None = None
