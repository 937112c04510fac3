"""How far a training label is heard: the closed form from every training node at once."""

import numpy as np
import torch
from torch import Tensor

from ml.arrays import BoolArray, FloatArray, SparseMatrix
from ml.config.levy import LfgcnPlusSettings
from ml.config.settings import LabelSpreading
from ml.errors import Fault, InvalidHyperparameter
from ml.graph.graph import Graph
from ml.levy.closed_forms import classification_functions

_SIGMAS: dict[LabelSpreading, float] = {"closed_form": 0.5, "clamped": 1.0}
"""Of the three sigmas the normalised Laplacian erred least on the zones of a grid; clamped, one
is the walk that label propagation follows."""
_MOST_LEVELS = 20
"""A column with more distinct values does not divide the nodes into levels."""
_SMOOTH = 0.5
"""A column is smooth if neighbours share so much of its variance, as they do of the angle."""


class Spreader:
    """What each node hears of the labels that training nodes show, from the whole graph.

    Equation: the columns at the training nodes of ``(1-a) (I - a Lt)^-1`` of Eqs. (eq_gssl)
        and (fractional_closed_form) with ``label_alpha`` and ``label_gamma``, added up by the
        labels; if ``label_spreading`` is clamped, weighted until they give the labels that are
        shown, see ``clamp_labels``.
    Deviation: edges weigh as ``weigh_edges`` says.
    Cost: one closed form for as many columns as there are training nodes, once.
    """

    def __init__(self, graph: Graph, config: LfgcnPlusSettings, device: torch.device) -> None:
        self._graph = graph
        self._config = config
        self._device = device
        self._kept: tuple[Tensor, Tensor] | None = None
        self._heard_of_all: tuple[Tensor, Tensor, Tensor] | None = None

    def hear(self, nodes: Tensor, labels: Tensor, shown: Tensor) -> Tensor:
        """Return how much each node hears of each class.

        Cost: where all are shown, as in every validation, computed once.
        Shapes: training nodes (n,), their labels (n, K) and whose are shown (n,) -> (N, K).
        """
        if not bool(shown.all()):
            return self._hear(nodes, labels, shown)
        kept = self._heard_of_all
        if kept is None or not (torch.equal(kept[0], nodes) and torch.equal(kept[1], labels)):
            kept = self._heard_of_all = (nodes, labels, self._hear(nodes, labels, shown))
        return kept[2]

    def _hear(self, nodes: Tensor, labels: Tensor, shown: Tensor) -> Tensor:
        responses = self.responses(nodes)
        if self._config.label_spreading == "clamped":
            clamped = clamp_labels(responses[:, shown], nodes[shown], labels[shown].double())
            return clamped.to(labels.dtype)
        return responses @ (labels * shown.unsqueeze(1))

    def responses(self, nodes: Tensor) -> Tensor:
        """Return how loud each of ``nodes`` is heard everywhere. Shapes: (n,) -> (N, n)."""
        if self._kept is None or not torch.equal(self._kept[0], nodes):
            chosen = nodes.cpu().numpy()
            sources = np.zeros((self._graph.node_count, len(chosen)))
            sources[chosen, np.arange(len(chosen))] = 1
            config = self._config
            heard = classification_functions(
                weigh_edges(self._graph, config.label_bridges, config.label_contrast),
                sources,
                config.label_alpha,
                _SIGMAS[config.label_spreading],
                config.label_gamma,
            )
            # Clamping solves by these values: what single precision cuts off would come back.
            kind = torch.float64 if config.label_spreading == "clamped" else torch.float32
            kept = torch.from_numpy(np.maximum(heard, 0)).to(self._device, kind)
            self._kept = (nodes, kept)
        return self._kept[1]


def clamp_labels(responses: Tensor, nodes: Tensor, labels: Tensor) -> Tensor:
    """Spread labels so that they stay what they are at their own nodes.

    Equation: ``F = G_s (G_ss)^-1 Y_s`` with ``G`` the closed form and s the nodes; as alpha goes
        to one and sigma is one, the fixed point ``F_u = (I - T_uu)^-1 T_us Y_s`` of label
        propagation (Zhu and Ghahramani 2002). Then the class mass normalisation of Zhu,
        Ghahramani and Lafferty (2003): each class has its share of the labels.
    Shapes: responses (N, s), nodes (s,), labels (s, K) -> (N, K), all in double precision.
    Raises: InvalidHyperparameter if the nodes hear each other so alike that none can be told.
    """
    weights, fault = torch.linalg.solve_ex(responses[nodes], labels)
    if fault.any() or not weights.isfinite().all():
        reason = "is too near to one for labels to stay clamped on this graph"
        raise InvalidHyperparameter([Fault("label_alpha", reason)])
    functions = (responses @ weights).clamp_min(0)
    masses = functions.sum(0)
    shares = labels.mean(0) if len(labels) else masses
    scaled: Tensor = functions * torch.where(masses > 0, shares / masses.clamp_min(1e-30), 0)
    return scaled


def weigh_edges(graph: Graph, bridges: float, contrast: float) -> SparseMatrix:
    """Return the adjacency as labels spread over it.

    Edges between nodes of unlike level weigh ``bridges`` times as much. A level is a value of a
    feature that takes few, such as the base voltage: an edge between two base voltages is a
    transformer, and its two ends stand in one substation. All edges weigh
    ``exp(-contrast d)`` times as much, where d is how far their ends are apart in the smooth
    features, in units of what is usual for an edge: a line over which the angle falls steeply
    is long.

    Shapes: (N, N) symmetric.
    """
    entries = graph.adjacency.tocoo()
    columns = graph.features.T
    unlike = np.zeros(entries.nnz, dtype=bool)
    apart = np.zeros(entries.nnz)
    for column in columns:
        gaps = np.abs(column[entries.row] - column[entries.col])
        if _has_levels(column):
            unlike |= gaps > 0
        elif contrast > 0 and _is_smooth(column, gaps):
            apart += gaps / np.median(gaps[gaps > 0])
    entries.data = entries.data * np.where(unlike, bridges, 1.0) * np.exp(-contrast * apart)
    return entries.tocsr()


def _has_levels(column: FloatArray) -> bool:
    return 1 < len(np.unique(column)) <= _MOST_LEVELS


def _is_smooth(column: FloatArray, gaps: FloatArray) -> bool:
    """Tell whether a column differs less over edges than between any two nodes."""
    moves: BoolArray = gaps > 0
    variance = column.var()
    return bool(moves.any() and 1 - np.square(gaps).mean() / (2 * variance) > _SMOOTH)
