"""Bus coordinates of OpenDSS: a drawing or a projection, or latitude and longitude."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.grid.grid import CoordinateSystem
from app.ingest.formats.opendss.scan import read_number, split_statement, strip_quotes
from ml.arrays import FloatArray

_MOST_LATITUDE, _MOST_LONGITUDE = 90.0, 180.0


@dataclass
class BusPlaces:
    """Coordinates by bus: x and y of ``Buscoords``, longitude and latitude of ``LatLongCoords``."""

    drawn: dict[str, tuple[float, float]] = field(default_factory=dict)
    geographic: dict[str, tuple[float, float]] = field(default_factory=dict)
    unreadable: int = 0

    def read_row(self, line: str, *, is_geographic: bool) -> None:
        """Read bus and two numbers; a row without them is counted."""
        words = [value for _, value in split_statement(line)]
        if not words:
            return
        try:
            first, second = (read_number(word) for word in words[1:3])
        except ValueError:
            self.unreadable += 1
            return
        bus = strip_quotes(words[0]).lower()
        if not is_geographic:
            self.drawn[bus] = first, second
        elif abs(first) <= _MOST_LATITUDE and abs(second) <= _MOST_LONGITUDE:
            self.geographic[bus] = second, first
        else:
            self.unreadable += 1

    def locate(self, buses: Sequence[str]) -> tuple[FloatArray, CoordinateSystem]:
        """Return the coordinates of the buses, geographic ones if there are any.

        Shapes: (N, 2), nan for a bus without.
        """
        system: CoordinateSystem = "geographic" if self.geographic else "schematic"
        table = self.geographic or self.drawn
        nowhere = (np.nan, np.nan)
        values = np.array([table.get(bus, nowhere) for bus in buses], dtype=np.float64)
        known = bool(len(buses)) and bool(np.isfinite(values).any())
        return values.reshape(-1, 2), system if known else "none"
