"""Dropout of dense and sparse signals."""

import torch
from torch import Tensor

from ml.nn.kernels.dropout import drop_values


def drop(signal: Tensor, rate: float, *, training: bool) -> Tensor:
    """Drop values in training only; of a sparse signal, the stored ones.

    Shapes: any -> the same.
    """
    if not training or rate == 0:
        return signal
    if not signal.is_sparse:
        return drop_values(signal, rate)
    return torch.sparse_coo_tensor(
        signal.indices(),
        drop_values(signal.values(), rate),
        signal.shape,
        is_coalesced=True,
        check_invariants=False,
    )
