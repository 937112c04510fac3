"""Seeded splits of the labelled nodes into training, validation and test nodes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ml.arrays import BoolArray, IntArray
from ml.errors import Fault, InvalidSplit
from ml.graph.graph import UNLABELLED

DEFAULT_FRACTIONS = (0.1, 0.2, 0.7)


@dataclass(frozen=True, eq=False)
class Split:
    """Three disjoint sets of node positions; checks itself.

    Raises: InvalidSplit if a node is negative or in two sets, or none is left to train on.
    """

    train: IntArray
    validation: IntArray
    test: IntArray

    def __post_init__(self) -> None:
        for name in ("train", "validation", "test"):
            object.__setattr__(self, name, np.sort(np.asarray(getattr(self, name), np.int64)))
        nodes = np.concatenate([self.train, self.validation, self.test])
        faults = []
        if len(nodes) and nodes.min() < 0:
            faults.append(Fault("split", "a node has a negative position"))
        if len(np.unique(nodes)) != len(nodes):
            faults.append(Fault("split", "a node is given more than once"))
        if len(self.train) == 0:
            faults.append(Fault("split", "no node to train on"))
        if faults:
            raise InvalidSplit(faults)

    def masks(self, node_count: int) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Return the three sets as boolean masks, each (N,)."""
        masks = []
        for nodes in (self.train, self.validation, self.test):
            mask = np.zeros(node_count, dtype=np.bool_)
            mask[nodes] = True
            masks.append(mask)
        return masks[0], masks[1], masks[2]

    @property
    def content_hash(self) -> str:
        """SHA-256 of the three sets."""
        digest = hashlib.sha256()
        for nodes in (self.train, self.validation, self.test):
            digest.update(f"{len(nodes)};".encode())
            digest.update(nodes.tobytes())
        return digest.hexdigest()


def random_split(
    labels: IntArray, seed: int, fractions: tuple[float, float, float] = DEFAULT_FRACTIONS
) -> Split:
    """Draw the paper's 10/20/70 split uniformly over all labelled nodes.

    Equation: Appendix D, "10%/20%/70% split into training, validation, and test sets".
    Raises: InvalidSplit if the fractions are not a partition or a set would be empty.
    """
    check_fractions(fractions)
    nodes = np.random.default_rng(seed).permutation(np.flatnonzero(labels != UNLABELLED))
    return _cut(nodes, fractions)


def stratified_split(
    labels: IntArray, seed: int, fractions: tuple[float, float, float] = DEFAULT_FRACTIONS
) -> Split:
    """Draw the split class by class, so that every class has a training node.

    Deviation: a class takes at least one training node, then at least one validation node,
        as long as it has nodes.
    Raises: InvalidSplit as ``random_split``.
    """
    check_fractions(fractions)
    generator = np.random.default_rng(seed)
    parts: tuple[list[IntArray], list[IntArray], list[IntArray]] = ([], [], [])
    for label in np.unique(labels[labels != UNLABELLED]):
        nodes = generator.permutation(np.flatnonzero(labels == label))
        first = max(1, round(fractions[0] * len(nodes)))
        second = first + max(1, round(fractions[1] * len(nodes)))
        for part, chosen in zip(parts, np.split(nodes, [first, second]), strict=True):
            part.append(chosen)
    if not parts[0]:
        raise InvalidSplit([Fault("labels", "no node has a label")])
    train, validation, test = (np.concatenate(part) for part in parts)
    return Split(train, validation, test)


def _cut(nodes: IntArray, fractions: tuple[float, float, float]) -> Split:
    first = max(1, round(fractions[0] * len(nodes)))
    second = first + max(1, round(fractions[1] * len(nodes)))
    if second >= len(nodes):
        raise InvalidSplit([Fault("labels", f"{len(nodes)} labelled nodes are too few to split")])
    train, validation, test = np.split(nodes, [first, second])
    return Split(train, validation, test)


def check_fractions(fractions: Sequence[float]) -> None:
    """Make sure that shares of nodes are a partition. Raises: InvalidSplit."""
    if min(fractions) <= 0 or abs(sum(fractions) - 1) > 1e-9:
        raise InvalidSplit([Fault("fractions", f"{tuple(fractions)} is not a partition of one")])
