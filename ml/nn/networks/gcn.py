"""GCN of Kipf and Welling (2017) from PyTorch Geometric."""

from torch import Tensor
from torch_geometric.nn import GCNConv

from ml.config.settings import NetworkSettings
from ml.nn.parts.edge_views import normalised_views
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.parts.row_product import SymmetricRows, add_by_rows
from ml.nn.sparse import apply_linear


class GcnLayer(GCNConv):  # type: ignore[misc]  # the library is untyped
    """The library's layer, which multiplies sparse features by compressed rows.

    Shapes: (N, in) -> (N, out).
    """

    propagate = add_by_rows

    def forward(self, signal: Tensor, matrix: SymmetricRows) -> Tensor:
        """Return the convolved signal."""
        if not signal.is_sparse:
            convolved: Tensor = super().forward(signal, matrix)
            return convolved
        total: Tensor = self.propagate(matrix, apply_linear(self.lin, signal)) + self.bias
        return total


class GcnNetwork(LayeredNetwork):
    """Graph convolutions with ReLU between them and dropout before each.

    Equation: Kipf and Welling (2017), ``D^-1/2 (W + I) D^-1/2 H W``.
    Deviation: the normalisation is done once per view instead of inside the layer (its
        ``cached=True`` would keep the first censored graph for ever). l2 is on all kernels,
        not only on the first.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: NetworkSettings, features: int, classes: int) -> None:
        widths = layer_widths(config, features, classes)
        super().__init__((GcnLayer(*shape, normalize=False) for shape in widths), config.dropout)


build_network = GcnNetwork
make_views = normalised_views
