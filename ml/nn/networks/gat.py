"""GAT of Veličković et al. (2018) from PyTorch Geometric."""

from typing import Any

from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GATConv

from ml.methods.gat import GatSettings
from ml.nn.parts.edge_views import edge_views
from ml.nn.parts.layered import LayeredNetwork
from ml.nn.sparse import multiply


class GatLayer(GATConv):  # type: ignore[misc]  # the library is untyped
    """The library's layer, which multiplies sparse features by compressed rows.

    Shapes: (N, in) -> (N, heads x out), or (N, out) where the heads are averaged.
    """

    def __init__(self, inputs: int, outputs: int, **options: Any) -> None:
        super().__init__(inputs, outputs, **options)
        weight: nn.Parameter = self.lin.weight  # type: ignore[has-type]  # the library is untyped
        self.lin = _Projection(weight)


class _Projection(nn.Module):
    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, signal: Tensor) -> Tensor:
        return multiply(signal, self.weight.T)


class GatNetwork(LayeredNetwork):
    """Attention over neighbours and the node itself, ``parallel_paths`` heads of ``width`` columns.

    Equation: Veličković et al. (2018), Eqs. (1) to (6), ELU between layers, one head on top; with
        ``pooling="average"`` as many averaged heads as in the other layers.
    Deviation: edge weights are ignored, as in the paper.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    activation = staticmethod(functional.elu)

    def __init__(self, config: GatSettings, features: int, classes: int) -> None:
        inputs = [features, *[config.width * config.parallel_paths] * (config.layers - 1)]
        shared = {"dropout": config.dropout}
        hidden = [
            GatLayer(columns, config.width, heads=config.parallel_paths, **shared)
            for columns in inputs[:-1]
        ]
        heads = config.parallel_paths if config.pooling == "average" else 1
        output = GatLayer(inputs[-1], classes, heads=heads, concat=False, **shared)
        super().__init__([*hidden, output], config.dropout)


build_network = GatNetwork
make_views = edge_views
