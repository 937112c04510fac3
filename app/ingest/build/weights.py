"""Branch weights: a choice of the user, recorded in the import report."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from app.errors import GridRejected
from app.power.tables import BranchTable
from ml.arrays import BoolArray, FloatArray
from ml.errors import Fault

WeightChoice: TypeAlias = Literal["one", "admittance", "charging", "rating"]
_NEEDED = {"admittance": "x", "charging": "b", "rating": "rating"}
WEIGHT_CHOICES: tuple[str, ...] = get_args(WeightChoice)


@dataclass(frozen=True, eq=False)
class Weights:
    """Positive weights; ``usable`` is false for a branch without one. Shapes: both (E,)."""

    values: FloatArray
    usable: BoolArray
    definition: str
    assumption: str = ""


def parse_weight_choice(text: str) -> WeightChoice:
    """Return the choice named by the client. Raises: GridRejected."""
    choices: tuple[WeightChoice, ...] = get_args(WeightChoice)
    for choice in choices:
        if text == choice:
            return choice
    problem = f"is not one of {', '.join(WEIGHT_CHOICES)}"
    raise GridRejected("Unknown weight.", [Fault("weight", problem)])


def make_weights(
    branches: BranchTable, choice: WeightChoice, absent: frozenset[str] = frozenset()
) -> Weights:
    """Weigh the branches.

    ``one``: 1 for every branch; ``admittance``: ``1 / |r + jx|``; ``charging``: the total line
    charging (BR_B); ``rating``: the long-term rating in MVA.
    Deviation: a branch without impedance gets the largest weight of the others, one without a
        limit the largest rating; a branch without charging has no weight and is left out.
    Raises: GridRejected if the column of the choice is ``absent``.
    """
    if _NEEDED.get(choice) in absent:
        problem = (
            f"{choice!r} needs the column {_NEEDED[choice]!r}, which this format does not have"
        )
        raise GridRejected("The branches cannot be weighted.", [Fault("weight", problem)])
    if choice == "admittance":
        return _weigh_admittance(branches)
    if choice == "charging":
        usable = branches.charging > 0
        return Weights(
            np.where(usable, branches.charging, 1.0),
            usable,
            "total line charging susceptance, p.u.",
            "branches without charging left out" if not usable.all() else "",
        )
    if choice == "rating":
        return _fill_with_largest(branches.rating, "rating, MVA", "without a rating")
    everything = np.ones(len(branches.ends), dtype=bool)
    return Weights(np.ones(len(branches.ends)), everything, "1 for every branch")


def _weigh_admittance(branches: BranchTable) -> Weights:
    impedance = np.hypot(branches.resistance, branches.reactance)
    admittance = np.divide(1.0, impedance, out=np.zeros_like(impedance), where=impedance > 1e-12)
    return _fill_with_largest(admittance, "1 / |r + jx|, p.u.", "without impedance")


def _fill_with_largest(values: FloatArray, definition: str, lack: str) -> Weights:
    positive = values > 0
    largest = float(values[positive].max()) if positive.any() else 1.0
    missing = int(np.count_nonzero(~positive))
    assumption = f"{missing} branch(es) {lack} got the largest weight" if missing else ""
    filled = np.where(positive, values, largest)
    return Weights(filled, np.ones(len(values), dtype=bool), definition, assumption)
