"""Features on the device: sparse where a graph has many columns and few values in them."""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from ml.arrays import FloatArray
from ml.config.settings import NetworkSettings
from ml.nn.sparse_rows import from_pairs, from_pairs_transposed, multiplies_sparse

SPARSE_BELOW = 0.15
"""Share of values other than zero below which a wide matrix is stored sparse."""
WIDE = 256


def make_features(columns: FloatArray, config: NetworkSettings) -> Tensor:
    """Return the features in float32, sparse if wide and nearly empty.

    Deviation: bag-of-words features are 90 to 99 % zeros; dropout and the first product touch
        only the rest. At 90 % (PubMed) an epoch of GCN or LFGCN takes a third of the time.
        Features no wider than the first layer stay dense, because the filter may then act on
        them first.
    Shapes: (N, Q) -> (N, Q).
    """
    dense = torch.from_numpy(columns).float()
    width = columns.shape[1]
    if width < WIDE or width <= config.path_count * config.width:
        return dense
    if np.count_nonzero(columns) > SPARSE_BELOW * columns.size:
        return dense
    return dense.to_sparse().coalesce()


def densify(features: Tensor) -> Tensor:
    """Return the features with their zeros, for layers that cannot do without."""
    return features.to_dense() if features.is_sparse else features


def multiply(features: Tensor, kernel: Tensor) -> Tensor:
    """Return ``features @ kernel``, by compressed rows where the features are sparse.

    Cost: forward and backward a third of torch's own product, which sorts its entries.
    Shapes: (N, Q), (Q, C) -> (N, C).
    """
    if not features.is_sparse or not multiplies_sparse(features.device):
        return features @ kernel
    product: Tensor = _SparseProduct.apply(kernel, features)  # type: ignore[no-untyped-call]  # torch
    return product


def apply_linear(layer: nn.Module, signal: Tensor) -> Tensor:
    """Return what a linear layer makes of a signal, by compressed rows where that is sparse."""
    linear = cast("nn.Linear", layer)  # or another library's, with the same two parameters
    if not signal.is_sparse:
        changed: Tensor = linear(signal)
        return changed
    product = multiply(signal, linear.weight.T)
    return product if linear.bias is None else product + linear.bias


class _SparseProduct(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, kernel: Tensor, features: Tensor) -> Tensor:
        context.features = features
        return from_pairs(features) @ kernel

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return from_pairs_transposed(context.features) @ gradients[0], None
