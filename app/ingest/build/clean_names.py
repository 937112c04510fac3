"""Replaces control characters in the texts of a file and counts the texts that had any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from app.grid.listing import Listing, make_listing
from app.grid.text_rules import replace_controls
from app.power.tables import PowerTables

_Value = TypeVar("_Value")


@dataclass
class NameCleaner:
    """Cleans texts and remembers those that it has changed."""

    changed: list[str] = field(default_factory=list)

    def clean(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return the texts without control characters."""
        if all(map(str.isprintable, texts)):
            return tuple(texts)
        return tuple(map(self.clean_value, texts))

    def clean_value(self, value: _Value) -> _Value | str:
        """Return a text without control characters, any other value as it is."""
        if not isinstance(value, str):
            return value
        clean = replace_controls(value)
        if clean != value:
            self.changed.append(clean)
        return clean

    def clean_rows(self, rows: Sequence[Mapping[str, _Value]]) -> list[dict[str, _Value | str]]:
        """Clean the texts of rows of attributes."""
        return [{name: self.clean_value(value) for name, value in row.items()} for row in rows]

    def clean_tables(self, tables: PowerTables) -> PowerTables:
        """Clean ids, aliases, substations, regions and text columns of the buses."""
        buses = tables.buses
        substations = buses.substations
        if substations is not None:
            substations = replace(substations, names=self.clean(substations.names))
        cleaned = replace(
            buses,
            ids=self.clean(buses.ids),
            aliases={kind: self.clean(names) for kind, names in buses.aliases.items()},
            regions={kind: self.clean(names) for kind, names in buses.regions.items()},
            texts={name: self.clean(texts) for name, texts in buses.texts.items()},
            substations=substations,
        )
        return replace(tables, buses=cleaned)

    def list_changed(self) -> Listing:
        """Count the changed texts and list the first of them as they are now."""
        return make_listing(self.changed)
