"""Spreading of training labels over the graph by the closed form."""

import numpy as np
import torch
from torch import Tensor

from ml.config.levy import LfgcnPlusSettings
from ml.config.settings import LabelSpreading
from ml.errors import Fault, InvalidHyperparameter
from ml.graph.edge_weights import weigh_edges
from ml.graph.graph import Graph
from ml.levy.closed_forms import classification_functions

_SIGMAS: dict[LabelSpreading, float] = {"closed_form": 0.5, "clamped": 1.0}
"""The normalised Laplacian (0.5) had the smallest error of the three on the zones of a grid;
clamped, sigma = 1 is the walk of label propagation."""


class Spreader:
    """Spreads the labels of training nodes over the whole graph.

    Equation: the columns at the training nodes of ``(1-a) (I - a Lt)^-1`` of Eqs. (eq_gssl)
        and (fractional_closed_form) with ``label_alpha`` and ``label_gamma``, summed per class;
        if ``label_spreading`` is clamped, weighted so that they reproduce the shown labels, see
        ``clamp_labels``.
    Deviation: edges are weighted by ``weigh_edges``.
    Cost: one closed form with one column per training node, computed once.
    """

    def __init__(self, graph: Graph, config: LfgcnPlusSettings, device: torch.device) -> None:
        self._graph = graph
        self._config = config
        self._device = device
        self._responses: tuple[Tensor, Tensor] | None = None
        self._all_shown: tuple[Tensor, Tensor, Tensor] | None = None

    def spread(self, nodes: Tensor, labels: Tensor, shown: Tensor) -> Tensor:
        """Return the mass of each class at each node.

        Cost: computed once for the case that all labels are shown, as in every validation.
        Shapes: training nodes (n,), their labels (n, K), which are shown (n,) -> (N, K).
        """
        if not bool(shown.all()):
            return self._spread(nodes, labels, shown)
        cached = self._all_shown
        if cached is None or not (torch.equal(cached[0], nodes) and torch.equal(cached[1], labels)):
            cached = self._all_shown = (nodes, labels, self._spread(nodes, labels, shown))
        return cached[2]

    def _spread(self, nodes: Tensor, labels: Tensor, shown: Tensor) -> Tensor:
        responses = self.responses(nodes)
        if self._config.label_spreading == "clamped":
            clamped = clamp_labels(responses[:, shown], nodes[shown], labels[shown].double())
            return clamped.to(labels.dtype)
        return responses @ (labels * shown.unsqueeze(1))

    def responses(self, nodes: Tensor) -> Tensor:
        """Return the closed form of a unit label at each of ``nodes``. Shapes: (n,) -> (N, n)."""
        if self._responses is None or not torch.equal(self._responses[0], nodes):
            chosen = nodes.cpu().numpy()
            sources = np.zeros((self._graph.node_count, len(chosen)))
            sources[chosen, np.arange(len(chosen))] = 1
            config = self._config
            functions = classification_functions(
                weigh_edges(self._graph, config.label_bridges, config.label_contrast),
                sources,
                config.label_alpha,
                _SIGMAS[config.label_spreading],
                config.label_gamma,
            )
            # Clamping solves with these values, which amplifies the rounding of single precision.
            kind = torch.float64 if config.label_spreading == "clamped" else torch.float32
            responses = torch.from_numpy(np.maximum(functions, 0)).to(self._device, kind)
            self._responses = (nodes, responses)
        return self._responses[1]


def clamp_labels(responses: Tensor, nodes: Tensor, labels: Tensor) -> Tensor:
    """Spread labels so that they are reproduced at their own nodes.

    Equation: ``F = G_s (G_ss)^-1 Y_s`` with ``G`` the closed form and s the nodes; as alpha goes
        to one and sigma is one, the fixed point ``F_u = (I - T_uu)^-1 T_us Y_s`` of label
        propagation (Zhu and Ghahramani 2002). Then the class mass normalisation of Zhu,
        Ghahramani and Lafferty (2003): each class keeps its share of the labels.
    Shapes: responses (N, s), nodes (s,), labels (s, K) -> (N, K), all in double precision.
    Raises: InvalidHyperparameter if the responses of two nodes are too alike to be separated.
    """
    weights, fault = torch.linalg.solve_ex(responses[nodes], labels)
    if fault.any() or not weights.isfinite().all():
        reason = "is too close to one for clamped labels on this graph; choose a smaller value"
        raise InvalidHyperparameter([Fault("label_alpha", reason)])
    functions = (responses @ weights).clamp_min(0)
    masses = functions.sum(0)
    shares = labels.mean(0) if len(labels) else masses
    scaled: Tensor = functions * torch.where(masses > 0, shares / masses.clamp_min(1e-30), 0)
    return scaled
