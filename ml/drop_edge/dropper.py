"""Drawing of the edges that an epoch drops: P-DropEdge and uniform DropEdge."""

import math

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.config.settings import DropEdge, DropEdgeSettings, Rounding
from ml.drop_edge.scores import score_edges
from ml.errors import Fault, InvalidHyperparameter
from ml.graph.graph import Graph

_ROUND_OFF = 1e-9


class EdgeDropper:
    """Draws the edges to censor, with a preference for high scores or uniformly.

    Equation: Algorithm 1. ``candidates`` are the edges of the ``tau |E|`` top order
        statistics, ``weights`` their psi; ``p tau |E|`` of them are drawn without
        replacement. ``uniform`` is the DropEdge of Rong et al.: ``p |E|`` of all edges.
    Deviation: E is the set of undirected pairs. At least one edge is a candidate; equal
        scores rank by position. ``at_least_one`` rounds the sample size and drops at least
        one edge unless p is zero, ``floor`` takes the paper literally, ``stochastic`` keeps
        the mean. A sample larger than the number of positive weights is filled uniformly.
    Shapes: pairs (M, 2), scores (M,), candidates (m,) positions, weights (m,).
    Raises: InvalidHyperparameter if the scores do not match the pairs, or p or tau is out of range.
    """

    def __init__(
        self,
        pairs: IntArray,
        scores: FloatArray | None,
        rate: float,
        top: float,
        rounding: Rounding,
        kind: DropEdge,
    ) -> None:
        _check_rates(rate, top)
        self.pairs = pairs
        self.rounding = rounding
        self.candidates, self.weights = _candidates(len(pairs), scores, top, kind)
        share = {"preferential": rate * top, "uniform": rate, "none": 0.0}[kind]
        self.expected_count = share * len(pairs)

    def draw(self, generator: np.random.Generator) -> IntArray:
        """Draw the edges of one epoch. Shapes: (k,) ascending positions into ``pairs``.

        Deviation: the weighted sample without replacement is taken as the winners of an
            exponential race, which is distributed like successive draws.
        """
        count = self._sample_size(generator)
        positive = self.weights > 0
        finish = generator.exponential(size=len(self.weights))
        finish /= np.where(positive, self.weights, 1)
        ranking = np.lexsort((finish, ~positive))
        return np.sort(self.candidates[ranking[:count]])

    def _sample_size(self, generator: np.random.Generator) -> int:
        expected = self.expected_count
        if self.rounding == "at_least_one":
            count = max(1, round(expected)) if expected > 0 else 0
        else:
            count = math.floor(expected + _ROUND_OFF)
            if self.rounding == "stochastic":
                count += int(generator.random() < expected - count)
        return min(count, len(self.candidates))


def top_edges(scores: FloatArray, top: float) -> IntArray:
    """Return the positions of the highest order statistics, highest first.

    Equation: Algorithm 1, ``C_((1-tau)|E|) <= ... <= C_(|E|)``.
    Deviation: ``max(1, ceil(tau |E|))`` edges; equal scores rank by position.
    Shapes: (M,) -> (m,).
    """
    count = max(1, math.ceil(top * len(scores) - _ROUND_OFF))
    return np.argsort(-scores, kind="stable")[:count].astype(np.int64)


def make_dropper(
    graph: Graph, config: DropEdgeSettings, scores: FloatArray | None = None
) -> EdgeDropper | None:
    """Return the edge dropping of a configuration, ``None`` if it has none.

    Equation: Algorithm 1 with ``drop_rate`` for p and ``drop_top`` for tau.
    Shapes: ``scores`` are given by the user, (M,) in the order of ``graph.pairs``.
    Raises: InvalidHyperparameter as ``EdgeDropper``.
    """
    if config.drop_edge == "none" or not len(graph.pairs):
        return None
    if config.drop_edge == "preferential" and scores is None:
        scores = score_edges(graph, config.edge_score, config.seed)
    rate, top = config.drop_rates(graph.node_count)
    return EdgeDropper(graph.pairs, scores, rate, top, config.drop_rounding, config.drop_edge)


def _candidates(
    edge_count: int, scores: FloatArray | None, top: float, kind: DropEdge
) -> tuple[IntArray, FloatArray]:
    if kind != "preferential":
        everything = np.arange(edge_count, dtype=np.int64)
        return everything, np.full(edge_count, 1 / max(1, edge_count))
    checked = _checked_scores(edge_count, scores)
    candidates = top_edges(checked, top)
    chosen = checked[candidates]
    highest = chosen.max(initial=0)
    if highest == 0:
        return candidates, np.zeros_like(chosen)
    # The highest score is divided out first, so that the sum cannot overflow.
    relative = chosen / highest
    return candidates, relative / relative.sum()


def _checked_scores(edge_count: int, scores: FloatArray | None) -> FloatArray:
    if scores is None or np.shape(scores) != (edge_count,):
        given = "none" if scores is None else f"shape {np.shape(scores)}"
        problem = f"{given} given, expected ({edge_count},)"
        raise InvalidHyperparameter([Fault("scores", problem)])
    checked = np.asarray(scores, dtype=np.float64)
    if not (np.isfinite(checked) & (checked >= 0)).all():
        raise InvalidHyperparameter([Fault("scores", "a score is negative or not finite")])
    return checked


def _check_rates(rate: float, top: float) -> None:
    faults = []
    if not 0 <= rate <= 1:
        faults.append(Fault("drop_rate", f"{rate} is outside [0, 1]"))
    if not 0 < top <= 1:
        faults.append(Fault("drop_top", f"{top} is outside (0, 1]"))
    if faults:
        raise InvalidHyperparameter(faults)
