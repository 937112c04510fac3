"""Features on the device: sparse where a graph has many columns and few values in them."""

import numpy as np
import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.config import TrainingConfig

SPARSE_BELOW = 0.05
"""Share of values other than zero below which a wide matrix is stored sparse."""
WIDE = 512


def make_features(columns: FloatArray, config: TrainingConfig) -> Tensor:
    """Return the features in float32, sparse if wide and nearly empty.

    Deviation: bag-of-words features are over 98 % zeros; dropout and the first product touch
        only the rest. Features no wider than the first layer stay dense, because the filter
        may then act on them first.
    Shapes: (N, Q) -> (N, Q).
    """
    dense = torch.from_numpy(columns).float()
    width = columns.shape[1]
    if width < WIDE or width <= config.branches * config.width:
        return dense
    if np.count_nonzero(columns) > SPARSE_BELOW * columns.size:
        return dense
    return dense.to_sparse().coalesce()


def densify(features: Tensor) -> Tensor:
    """Return the features with their zeros, for layers that cannot do without."""
    return features.to_dense() if features.is_sparse else features
