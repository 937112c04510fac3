"""How far a training label is heard: the closed form from every training node at once."""

import numpy as np
import torch
from torch import Tensor

from ml.arrays import SparseMatrix
from ml.closed_forms import classification_functions
from ml.config import TrainingConfig
from ml.graph import Graph

_LABEL_SIGMA = 0.5
"""The normalised Laplacian: of the three it erred least on the zones of a grid."""
_MOST_LEVELS = 20
"""A column with more distinct values does not divide the nodes into levels."""


class Spreader:
    """What each node hears of a label at each training node, from the whole graph.

    Equation: the columns at the training nodes of ``(1-a) (I - a Lt)^-1`` of Eqs. (eq_gssl)
        and (fractional_closed_form), sigma one half, with ``label_alpha`` and ``label_gamma``.
    Deviation: edges between levels weigh ``label_bridges`` times as much.
    Cost: one closed form for as many columns as there are training nodes, once.
    """

    def __init__(self, graph: Graph, config: TrainingConfig, device: torch.device) -> None:
        self._graph = graph
        self._config = config
        self._device = device
        self._kept: tuple[Tensor, Tensor] | None = None

    def responses(self, nodes: Tensor) -> Tensor:
        """Return how loud each of ``nodes`` is heard everywhere. Shapes: (n,) -> (N, n)."""
        if self._kept is None or not torch.equal(self._kept[0], nodes):
            chosen = nodes.cpu().numpy()
            sources = np.zeros((self._graph.node_count, len(chosen)))
            sources[chosen, np.arange(len(chosen))] = 1
            config = self._config
            heard = classification_functions(
                strengthen_bridges(self._graph, config.label_bridges),
                sources,
                config.label_alpha,
                _LABEL_SIGMA,
                config.label_gamma,
            )
            self._kept = (nodes, torch.from_numpy(np.maximum(heard, 0)).float().to(self._device))
        return self._kept[1]


def strengthen_bridges(graph: Graph, factor: float) -> SparseMatrix:
    """Return the adjacency with edges between nodes of unlike level weighted up.

    A level is a value of a feature that takes few, such as the base voltage: an edge between
    two base voltages is a transformer, and its two ends stand in one substation.

    Shapes: (N, N) symmetric.
    """
    levels = [column for column in graph.features.T if 1 < len(np.unique(column)) <= _MOST_LEVELS]
    entries = graph.adjacency.tocoo()
    unlike = np.zeros(entries.nnz, dtype=bool)
    for column in levels:
        unlike |= column[entries.row] != column[entries.col]
    entries.data = entries.data * np.where(unlike, factor, 1.0)
    return entries.tocsr()
