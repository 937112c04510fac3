"""Nodes of SimBench -> buses: nodes joined by closed switches become one bus."""

from dataclasses import dataclass

import numpy as np

from app.grid.grid import find_islands
from app.ingest.formats.guards.text_table import TextTable, read_ids
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

_AUXILIARY = "auxiliary"


@dataclass(frozen=True, eq=False)
class FusedNodes:
    """Buses made of nodes.

    Shapes: chosen (N,) the node that stands for each bus; bus_of (nodes,) the bus of each node.
    """

    table: TextTable
    chosen: IntArray
    bus_of: IntArray
    place: dict[str, int]
    """Position of the bus by the id of any of its nodes."""
    open_switches: int
    closed_switches: int

    @property
    def count(self) -> int:
        """The number of buses."""
        return len(self.chosen)

    def texts(self, column: str) -> list[str]:
        """Return the text of the node that stands for each bus, else of another of its nodes."""
        cells = self.table.texts(column)
        values = [cells[node] for node in self.chosen]
        for node, bus in enumerate(self.bus_of.tolist()):
            values[bus] = values[bus] or cells[node]
        return values

    def numbers(self, column: str) -> FloatArray:
        """Return the number of the node that stands for each bus."""
        return self.table.numbers(column)[self.chosen]


def fuse_nodes(nodes: TextTable, switches: TextTable, faults: list[Fault]) -> FusedNodes:
    """Join the nodes at both ends of every closed switch; an open switch joins nothing.

    A bus has the id of its first node that is not auxiliary.
    """
    ids = read_ids(nodes, "id", faults)
    node_of = {text: node for node, text in enumerate(ids)}
    if len(node_of) < len(ids):
        faults.append(Fault("Node", "gives an id more than once"))
    ends = np.column_stack([switches.positions(end, node_of, faults) for end in ("nodeA", "nodeB")])
    closed: BoolArray = switches.truths("cond", default=True)
    joined = closed & (ends >= 0).all(axis=1)
    groups = find_islands(len(ids), ends[joined])
    auxiliary = np.array([kind == _AUXILIARY for kind in nodes.texts("type")], dtype=np.bool_)
    # Sorted by group, then real nodes first: the first of each group stands for its bus.
    order = np.lexsort((np.arange(len(ids)), auxiliary, groups))
    _, first = np.unique(groups[order], return_index=True)
    chosen = order[first]
    rank = np.empty(len(chosen), dtype=np.int64)
    rank[np.argsort(chosen)] = np.arange(len(chosen))
    bus_of = rank[groups]
    place = {text: int(bus) for text, bus in zip(ids, bus_of, strict=True)}
    count = int(np.count_nonzero(closed))
    return FusedNodes(nodes, np.sort(chosen), bus_of, place, len(closed) - count, count)
