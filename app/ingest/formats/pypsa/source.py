"""Parts of a PyPSA network: tables per component, and the first snapshot of time series."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from app.ingest.formats.guards.text_table import TextTable
from ml.arrays import FloatArray

COMPONENTS = (
    "buses",
    "lines",
    "transformers",
    "links",
    "loads",
    "generators",
    "storage_units",
    "shunt_impedances",
    "line_types",
    "transformer_types",
)
"""Components that are read; all others are counted."""
SERIES = (
    "loads-p_set",
    "loads-q_set",
    "generators-p",
    "generators-q",
    "storage_units-p",
    "buses-v_mag_pu",
    "buses-v_ang",
)
"""Time series of which the first snapshot is read: component and attribute."""


@dataclass(frozen=True, eq=False)
class PypsaParts:
    """What the files of a network hold, the same for CSV and netCDF."""

    name: str
    srid: int | None
    tables: Mapping[str, TextTable]
    series: Mapping[str, Mapping[str, float]]
    """Value at the first snapshot, by series and name of the element."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """Rows of components that are not read."""
    parts_not_read: tuple[str, ...] = ()

    def table(self, component: str) -> TextTable:
        """Return the table of a component; empty if the network has none."""
        return self.tables.get(component) or TextTable(component, {}, 0)

    def values(self, component: str, attribute: str, default: float) -> FloatArray:
        """Return an attribute: the first snapshot where there is a series, else the static value.

        An element that neither has gets the default.
        """
        table = self.table(component)
        static = table.numbers(attribute, default)
        series = self.series.get(f"{component}-{attribute}")
        if not series:
            return static
        names = table.keys("name")
        varying = (series.get(name, np.nan) for name in names)
        given = np.fromiter(varying, np.float64, len(names))
        return np.where(np.isnan(given), static, given)
