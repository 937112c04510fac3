"""GCN with a skip connection around every convolution."""

from torch import Tensor, nn

from ml.methods.gcn_skip import GcnSkipSettings
from ml.nn.networks import gcn
from ml.nn.parts.edge_views import RowView, normalised_views
from ml.nn.parts.layered import LayeredNetwork, layer_widths
from ml.nn.sparse import apply_linear


class SkipGcnNetwork(LayeredNetwork):
    """Graph convolutions plus a linear map of each node's own signal.

    Equation: ``A' H W + H W_s`` with ``A'`` of Kipf and Welling (2017); ReLU between layers.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: GcnSkipSettings, features: int, classes: int) -> None:
        widths = layer_widths(config, features, classes)
        super().__init__(
            (gcn.GcnLayer(*shape, normalize=False) for shape in widths), config.dropout
        )
        self.skips = nn.ModuleList(nn.Linear(*shape, bias=False) for shape in widths)

    def apply_layer(self, position: int, signal: Tensor, view: RowView) -> Tensor:
        """Return the sum of the convolution and the skip connection."""
        skipped = apply_linear(self.skips[position], signal)
        return super().apply_layer(position, signal, view) + skipped


build_network = SkipGcnNetwork
make_views = normalised_views
