"""Substations and places of the nodes of a graph."""

from dataclasses import dataclass

from ml.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Substations and places of the nodes, where they are known.

    Shapes: groups (N,), coordinates (N, 2) latitude and longitude in degrees.
    """

    groups: IntArray | None = None
    coordinates: FloatArray | None = None
