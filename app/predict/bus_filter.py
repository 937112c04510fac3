"""Which buses an answer for the whole grid contains, and in which order."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.errors import Rejected
from app.grid.grid import UNKNOWN_CLASS
from app.models.predictions import Source
from app.predict.answers import ChosenModel
from ml.arrays import IntArray
from ml.errors import Fault

Order = Literal["bus", "least-certain"]
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class BusFilter:
    """Filters of a request; the default selects every bus in the order of the grid."""

    classes: tuple[str, ...] = ()
    source: Source | None = None
    order: Order = "bus"
    limit: int | None = None
    abstain: bool | None = None

    def apply(self, model: ChosenModel) -> IntArray:
        """Return the positions of the selected buses. Raises: Rejected for an unknown class."""
        shares = model.predictions.probabilities
        buses = np.arange(len(shares))
        if self.classes:
            codes = self._find_codes(model.predictions.class_names)
            buses = buses[np.isin(np.argmax(shares, axis=1), codes)]
        if self.source is not None:
            known = model.truth[buses] != UNKNOWN_CLASS
            buses = buses[known == (self.source == "known")]
        if self.abstain is not None:
            abstained = model.trust.find_abstained(shares)
            buses = buses[abstained[buses] == self.abstain]
        if self.order == "least-certain":
            certainty = shares[buses].max(axis=1, initial=0)
            buses = buses[np.argsort(certainty, kind="stable")]
        return buses[: self.limit]

    def _find_codes(self, names: tuple[str, ...]) -> list[int]:
        unknown = [name for name in dict.fromkeys(self.classes) if name not in names]
        if unknown:
            more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            choice = ", ".join(map(repr, names[:_MOST_NAMED])) + more
            faults = [
                Fault("query.class", f"the model has no class {name!r}; it has {choice}")
                for name in unknown
            ]
            raise Rejected("The URL names classes that the model does not have.", faults)
        return [names.index(name) for name in dict.fromkeys(self.classes)]
