"""The classification problem that a method is chosen for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.errors import Fault, InvalidInput
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.split import Split
from ml.graph.surroundings import Surroundings

EVEN_SHARE = 0.8
"""Part of the classes with the largest number of labels from which a sample counts as even."""


@dataclass(frozen=True, eq=False)
class LabelProblem:
    """A graph with some known labels and, optionally, groups and places of its nodes.

    ``groups`` numbers the substation of each node; ``coordinates`` are latitude and longitude,
    nan where unknown; ``branches`` are columns that describe the branches at a node;
    ``edge_weights`` names further weights of ``graph.edges`` that labels may spread by, such as
    the conductance.

    Shapes: groups (N,), coordinates (N, 2), branches (N, B), edge weights (E,) each.
    Raises: InvalidInput if no label is known or the shapes disagree.
    """

    graph: Graph
    groups: IntArray | None = None
    coordinates: FloatArray | None = None
    branches: FloatArray | None = None
    edge_weights: Mapping[str, FloatArray] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        count = self.graph.node_count
        faults = []
        if not self.graph.labelled.any():
            faults.append(Fault("labels", "no label is known; label at least one node"))
        if self.groups is not None and len(self.groups) != count:
            faults.append(Fault("groups", f"{len(self.groups)} groups for {count} nodes"))
        if self.coordinates is not None and self.coordinates.shape != (count, 2):
            problem = f"shape {self.coordinates.shape}, expected ({count}, 2)"
            faults.append(Fault("coordinates", problem))
        if self.branches is not None and len(self.branches) != count:
            faults.append(Fault("branches", f"{len(self.branches)} rows for {count} nodes"))
        for name, weights in self.edge_weights.items():
            if len(weights) != len(self.graph.edges) or not (weights > 0).all():
                faults.append(Fault(f"edge_weights.{name}", "one positive weight per edge needed"))
        if faults:
            raise InvalidInput(faults)

    @cached_property
    def known(self) -> IntArray:
        """Positions of the labelled nodes, ascending, (n,)."""
        return np.flatnonzero(self.graph.labelled).astype(np.int64)

    @cached_property
    def truth(self) -> IntArray:
        """Classes of the labelled nodes, (n,)."""
        return self.graph.labels[self.known]

    @cached_property
    def indicator(self) -> FloatArray:
        """One row per labelled node with one in the column of its class, (n, K)."""
        return np.asarray(np.eye(self.graph.class_count)[self.truth])

    @cached_property
    def counts(self) -> IntArray:
        """Number of known labels per class, (K,)."""
        return np.bincount(self.truth, minlength=self.graph.class_count).astype(np.int64)

    @cached_property
    def is_even(self) -> bool:
        """Whether the labels are an even sample: almost all classes have equally many.

        Then their shares say nothing about how frequent the classes are.
        """
        counts = self.counts[self.counts > 0]
        return bool((counts == counts.max()).mean() >= EVEN_SHARE)

    @cached_property
    def known_groups(self) -> IntArray | None:
        """Groups of the labelled nodes, (n,); None if there are none or all are one."""
        if self.groups is None:
            return None
        groups = self.groups[self.known]
        return groups if len(np.unique(groups)) > 1 else None

    @cached_property
    def places(self) -> FloatArray | None:
        """Coordinates in comparable units, (N, 2); None unless every node has a place.

        Longitude is scaled by the cosine of the mean latitude.
        """
        if self.coordinates is None or not np.isfinite(self.coordinates).all():
            return None
        latitude, longitude = self.coordinates.T
        shrunk = longitude * np.cos(np.radians(np.clip(latitude.mean(), -89, 89)))
        return np.column_stack([latitude, shrunk])


def make_problem(graph: Graph, split: Split, surroundings: Surroundings, seed: int) -> LabelProblem:
    """Return the problem of a graph whose labels are known at the training nodes only."""
    labels = np.full_like(graph.labels, UNLABELLED)
    labels[split.train] = graph.labels[split.train]
    return LabelProblem(
        replace(graph, labels=labels),
        surroundings.groups,
        surroundings.coordinates,
        surroundings.branches,
        seed=seed,
    )
