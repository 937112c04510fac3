"""The FGS filter through a numpy operator, for operators that torch cannot apply itself."""

import torch
from torch import Tensor

from ml.levy.filter import filter_signal, filter_transposed
from ml.levy.interface import LevyOperator
from ml.nn.filters.base import FilterSettings, WholeGraphFilter


class OperatorFilter(WholeGraphFilter):
    """The FGS filter through any Lévy operator.

    Equation: Eq. (filter_expansion), the recurrence ``X'_i = X + a Lt X'_(i-1)``; the
        gradient is the transposed filter.
    Deviation: float64 inside, float32 outside; on a GPU the signal is copied to the host.
    Cost: ``order`` applications of the operator forward and as many backward. With
        ``keeps_constants`` a constant signal is better filtered once, however wide.
    """

    def __init__(
        self, operator: LevyOperator, settings: FilterSettings, *, keeps_constants: bool = False
    ) -> None:
        super().__init__(keeps_constants=keeps_constants)
        self._operator = operator
        self._settings = settings

    @property
    def node_count(self) -> int:
        """Number of nodes that the filter acts on."""
        return self._operator.node_count

    def filter_values(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter at all nodes, transposed for the backward pass. Shapes: (N, C) -> (N, C)."""
        act = filter_transposed if transposed else filter_signal
        values = signal.detach().cpu().double().numpy()
        settings = self._settings
        filtered = act(self._operator, values, settings.alpha, settings.order, settings.method)
        return torch.from_numpy(filtered).to(signal.device, signal.dtype)
