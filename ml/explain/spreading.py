"""What every known label contributes to the answer at one node, when labels spread."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.explain.part import ExplainedPart
from ml.training.selection.propagation import (
    Precision,
    Spreading,
    factorise,
    lift_degrees,
    normalise,
)


class LabelRows(Protocol):
    """Rows of the matrix that takes known labels to scores: ``F = W Y``."""

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""


class ClampedRows:
    """Weights of labels that stay at their own nodes.

    Equation: ``P_uu F_u = -P_un Y``; the row of a node is ``-e^T P_uu^-1 P_un``.
    Cost: one sparse LU, then one solve per row.
    Shapes: matrix (N, N) symmetric, nodes (n,).
    """

    def __init__(self, matrix: SparseMatrix, nodes: IntArray) -> None:
        self._nodes = nodes
        self._others = np.setdiff1d(np.arange(matrix.shape[0]), nodes)
        rows = matrix[self._others]
        self._across = rows[:, nodes]
        self._factors = factorise(rows[:, self._others]) if len(self._others) else None

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""
        if node in self._nodes:
            return np.asarray(self._nodes == node, dtype=np.float64)
        return self._solve(np.asarray(self._others == node, dtype=np.float64))

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""
        return 1 + self._solve(np.ones(len(self._others)))

    def _solve(self, receivers: FloatArray) -> FloatArray:
        if self._factors is None:
            return np.zeros(len(self._nodes))
        return np.asarray(-(self._across.T @ self._factors.solve(receivers)))


class ClampedJumpRows:
    """Weights of labels that stay at their own nodes and spread with jumps.

    Equation: ``F = R_n (R_nn)^-1 Y`` with ``R = P^-1``.
    Cost: one dense solve with n columns, then one per row.
    """

    def __init__(self, precision: Precision, nodes: IntArray) -> None:
        self._precision = precision
        self._nodes = nodes
        self._responses = precision.respond(nodes)

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""
        return self._weigh(respond_to(self._precision, node)[self._nodes])

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""
        return self._weigh(self._responses.reach)

    def _weigh(self, received: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.solve(self._responses.among, received))


class AdditiveRows:
    """Weights of labels whose responses add up.

    Equation: ``F = P^-1 D_g^s Y``; P is symmetric, so a row is one solve.
    """

    def __init__(self, precision: Precision, nodes: IntArray, sigma: float) -> None:
        self._precision = precision
        self._nodes = nodes
        self._strength = lift_degrees(precision.degrees[nodes]) ** sigma

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""
        return np.asarray(respond_to(self._precision, node)[self._nodes] * self._strength)

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""
        ones = np.ones((len(self._precision.degrees), 1))
        return np.asarray(self._precision.solve(ones)[self._nodes, 0] * self._strength)


def make_rows(adjacency: SparseMatrix, nodes: IntArray, spreading: Spreading) -> LabelRows:
    """Return the rows by which some labels spread. Shapes: adjacency (N, N), nodes (n,)."""
    precision = Precision(adjacency, spreading.alpha, spreading.gamma)
    if spreading.readout == "additive":
        return AdditiveRows(precision, nodes, spreading.sigma)
    if spreading.gamma < 1:
        return ClampedJumpRows(precision, nodes)
    return ClampedRows(precision.matrix, nodes)


def respond_to(precision: Precision, node: int) -> FloatArray:
    """Return ``P^-1 e`` at one node, (N,)."""
    unit = np.zeros((len(precision.degrees), 1))
    unit[node] = 1
    return precision.solve(unit)[:, 0]


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """The labels that spread. Shapes: nodes (n,), classes (n,)."""

    nodes: IntArray
    classes: IntArray
    class_count: int

    @property
    def counts(self) -> FloatArray:
        """Labels per class, (K,)."""
        return np.bincount(self.classes, minlength=self.class_count).astype(np.float64)

    def hide(self, hidden: IntArray) -> "GivenLabels":
        """Return the labels of all but some nodes."""
        shown = ~np.isin(self.nodes, hidden)
        return GivenLabels(self.nodes[shown], self.classes[shown], self.class_count)

    def sum_classes(self, values: FloatArray) -> FloatArray:
        """Add values per label up to values per class. Shapes: (n,) -> (K,)."""
        total = np.bincount(self.classes, weights=values, minlength=self.class_count)
        return np.asarray(total, dtype=np.float64)


def explain_spreading(
    rows: LabelRows,
    labels: GivenLabels,
    node: int,
    described: Mapping[str, Any],
    *,
    balanced: bool,
    least: float = 1e-290,
) -> ExplainedPart:
    """Return what each label contributes to the scores of a node.

    Equation: ``score_k`` is the sum of ``W_node,i`` over the labels i of class k; if balanced,
        times the share of the class in the labels over its mass in the whole graph.
    Deviation: scores that sum to less than ``least`` count as not reached: the answer is then
        the class frequencies of the labels.
    """
    values = np.maximum(rows.read(node), 0)
    counts = labels.counts
    raw = labels.sum_classes(values)
    masses = labels.sum_classes(rows.sum_all()) if balanced else np.ones_like(raw)
    note = None
    if raw.sum() <= least:
        raw = np.zeros_like(raw)
        values = np.zeros_like(values)
        note = "No known label reaches this bus: the answer is the class frequencies."
    probabilities = normalise(raw[None], counts, masses, balanced)[0]
    if balanced:
        prior = counts / counts.sum()
        scale = np.divide(prior, masses, out=np.zeros_like(prior), where=masses > 0)
        values, raw = values * scale[labels.classes], raw * scale
    return ExplainedPart(
        kind="labels",
        **described,
        note=note,
        scores=raw,
        probabilities=probabilities,
        values=values,
        nodes=labels.nodes,
        classes=labels.classes,
    )
