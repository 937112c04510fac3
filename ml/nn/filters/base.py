"""The FGS filter inside torch as layers see it, whichever operator it comes from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from ml.config.settings import FilterMethod
from ml.nn.kernels.linear_filter import apply_filter
from ml.nn.sparse import densify

_CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """The settings of the FGS filter and how it is used.

    ``lasting`` is true for the whole graph, whose filter serves every epoch: there a matrix is
    worth its computation on larger graphs than for a censored graph of one epoch.
    """

    alpha: float
    order: int
    method: FilterMethod = "taylor"
    device: torch.device = _CPU
    lasting: bool = False


class LevyFilter(ABC):
    """A filter of signals on a graph; its gradient is the transposed filter.

    ``keeps_constants`` is true where filtering a constant signal once, however wide, is cheaper
    than filtering its product with the weights in every epoch.
    """

    def __init__(self, *, keeps_constants: bool = False) -> None:
        self.keeps_constants = keeps_constants
        self._constant: tuple[Tensor, Tensor] | None = None

    def apply(self, signal: Tensor) -> Tensor:
        """Return the filtered signal. Shapes: (N, C) -> (N, C)."""
        return apply_filter(self, signal, None)

    def apply_at(self, signal: Tensor, nodes: Tensor) -> Tensor:
        """Return the filtered signal at some nodes only. Shapes: (N, C), (R,) -> (R, C)."""
        return apply_filter(self, signal, nodes)

    def apply_to_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal that is the same tensor at every call, once.

        Shapes: (N, C) -> (N, C).
        """
        if self._constant is None or self._constant[0] is not signal:
            self._constant = (signal, self.filter_constant(signal))
        return self._constant[1]

    def filter_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal whose result will be reused. Shapes: (N, C) -> (N, C)."""
        return self.apply(densify(signal))

    @abstractmethod
    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Filter values without recording a gradient. Shapes: (N, C) -> (R, C)."""

    @abstractmethod
    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at ``nodes``. Shapes: (R, C) -> (N, C)."""


class WholeGraphFilter(LevyFilter):
    """A filter that is computed at all nodes, of which some are then selected."""

    @abstractmethod
    def filter_values(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter at all nodes, transposed for the backward pass. Shapes: (N, C) -> (N, C)."""

    @property
    @abstractmethod
    def node_count(self) -> int:
        """Number of nodes that the filter acts on."""

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Filter values without recording a gradient. Shapes: (N, C) -> (R, C)."""
        filtered = self.filter_values(signal, transposed=False)
        return filtered if nodes is None else filtered[nodes]

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at ``nodes``. Shapes: (R, C) -> (N, C)."""
        if nodes is not None:
            spread = gradient.new_zeros(self.node_count, gradient.shape[1])
            gradient = spread.index_put_((nodes,), gradient, accumulate=True)
        return self.filter_values(gradient, transposed=True)


class SelectedRows:
    """The rows of a matrix at sets of nodes; training asks for the same few sets every epoch.

    Shapes: matrix (N, M).
    """

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix
        self._selected: dict[int, tuple[Tensor, Tensor]] = {}

    def at(self, nodes: Tensor | None) -> Tensor:
        """Return the rows of ``nodes``, all if None. Shapes: (R,) -> (R, M)."""
        if nodes is None:
            return self.matrix
        entry = self._selected.get(id(nodes))
        if entry is None:
            # The tensor is stored beside its rows, so that its id cannot be reused.
            entry = self._selected[id(nodes)] = (nodes, self.matrix[nodes])
        return entry[1]
