"""The structure of most baselines: dropout before each layer, an activation after it."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from ml.config.settings import NetworkSettings
from ml.nn.kernels.dropout import drop


class LayeredNetwork(nn.Module):
    """Layers that are applied to the graph one after another.

    A subclass defines the layers, the activation between them and how a layer reads the view. The
    first layer may receive sparse features.

    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    activation: Callable[[Tensor], Tensor] = staticmethod(functional.relu)

    def __init__(self, layers: Iterable[nn.Module], dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self._dropout = dropout

    def forward(self, features: Tensor, view: Any, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for position in range(len(self.layers)):
            if position > 0:
                signal = self.activation(signal)
            signal = drop(signal, self._dropout, training=self.training)
            signal = self.apply_layer(position, signal, view)
        return signal if nodes is None else signal[nodes]

    def apply_layer(self, position: int, signal: Tensor, view: Any) -> Tensor:
        """Apply a layer to the signal; the view provides its further arguments."""
        changed: Tensor = self.layers[position](signal, *view)
        return changed


def layer_widths(config: NetworkSettings, features: int, classes: int) -> list[tuple[int, int]]:
    """Return the numbers of input and output columns of each layer."""
    return list(pairwise([features, *[config.width] * (config.layers - 1), classes]))
