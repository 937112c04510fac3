"""Dropout that spends sixteen random bits a value, for dense and sparse signals."""

import torch
from torch import Tensor

_LEVELS = 2**16


def drop_values(signal: Tensor, rate: float) -> Tensor:
    """Set a random share of the values to zero and scale the rest up.

    Equation: Sec. IV, "dropout layer before two graph convolutional layers".
    Deviation: the rate is rounded to a multiple of 2^-16 (and stays below one), because one
        64-bit draw then serves four values; ``torch.nn.functional.dropout`` takes one draw a
        value and was the dearest operation of an epoch.
    Shapes: any -> the same.
    """
    threshold = min(round(rate * _LEVELS), _LEVELS - 1)
    words = torch.empty((signal.numel() + 3) // 4, dtype=torch.int64, device=signal.device)
    draws = words.random_(-(2**63), None).view(torch.int16)[: signal.numel()]
    factors = torch.empty_like(signal, requires_grad=False)
    # Comparing into floats is several times faster than making booleans first.
    torch.ge(draws.view(signal.shape), threshold - _LEVELS // 2, out=factors)
    return signal * factors.mul_(_LEVELS / (_LEVELS - threshold))


def drop(signal: Tensor, rate: float, *, training: bool) -> Tensor:
    """Drop values in training only; of a sparse signal, those that are stored.

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
