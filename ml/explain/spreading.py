"""What every known label contributes to the answer at one node, when labels spread."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.explain.part import ExplainedPart
from ml.explain.symmetric_solver import SymmetricSolver
from ml.training.selection.propagation import (
    Precision,
    Spreading,
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
    Cost: one solve per row, see ``SymmetricSolver``.
    Shapes: matrix (N, N) symmetric, nodes (n,).
    """

    def __init__(self, matrix: SparseMatrix, nodes: IntArray) -> None:
        self._nodes = nodes
        self._others = np.setdiff1d(np.arange(matrix.shape[0]), nodes)
        rows = matrix[self._others]
        self._across = rows[:, nodes]
        self._total: FloatArray | None = None
        self._solver = SymmetricSolver(rows[:, self._others])

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""
        if node in self._nodes:
            return np.asarray(self._nodes == node, dtype=np.float64)
        return self._solve(np.asarray(self._others == node, dtype=np.float64))

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,); computed once."""
        if self._total is None:
            self._total = 1 + self._solve(np.ones(len(self._others)))
        return self._total

    def _solve(self, receivers: FloatArray) -> FloatArray:
        return np.asarray(-(self._across.T @ self._solver.solve(receivers)))


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
        unit = mark_node(node, len(self._precision.degrees))
        return self._weigh(self._precision.solve(unit[:, None])[self._nodes, 0])

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""
        return self._weigh(self._responses.reach)

    def _weigh(self, received: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.solve(self._responses.among, received))


class AdditiveRows:
    """Weights of labels whose responses add up.

    Equation: ``F = P^-1 D_g^s Y``; P is symmetric, so a row is one solve.
    """

    def __init__(self, precision: Precision, nodes: IntArray, spreading: Spreading) -> None:
        self._precision = precision
        self._nodes = nodes
        sigma = spreading.sigma
        self._solver = SymmetricSolver(precision.matrix) if spreading.gamma == 1 else None
        self._strength = lift_degrees(precision.degrees[nodes]) ** sigma

    def read(self, node: int) -> FloatArray:
        """Return the weight of each known label at a node, (n,)."""
        return self._receive(mark_node(node, len(self._precision.degrees)))

    def sum_all(self) -> FloatArray:
        """Return the sum of the rows of all nodes, (n,)."""
        return self._receive(np.ones(len(self._precision.degrees)))

    def _receive(self, receivers: FloatArray) -> FloatArray:
        if self._solver is None:
            received = self._precision.solve(receivers[:, None])[:, 0]
        else:
            received = self._solver.solve(receivers)
        return np.asarray(received[self._nodes] * self._strength)


def make_rows(adjacency: SparseMatrix, nodes: IntArray, spreading: Spreading) -> LabelRows:
    """Return the rows by which some labels spread. Shapes: adjacency (N, N), nodes (n,)."""
    precision = Precision(adjacency, spreading.alpha, spreading.gamma)
    if spreading.readout == "additive":
        return AdditiveRows(precision, nodes, spreading)
    if spreading.gamma < 1:
        return ClampedJumpRows(precision, nodes)
    return ClampedRows(precision.matrix, nodes)


def mark_node(node: int, count: int) -> FloatArray:
    """Return one at a node and zero elsewhere, (count,)."""
    return np.asarray(np.arange(count) == node, dtype=np.float64)


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
