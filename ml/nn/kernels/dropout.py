"""Dropout of dense and sparse signals that spends sixteen random bits per value."""

import torch
from torch import Tensor

_LEVELS = 2**16


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


def drop_values(signal: Tensor, rate: float) -> Tensor:
    """Set a random share of the values to zero and scale the rest up.

    Equation: Sec. IV, "dropout layer before two graph convolutional layers".
    Deviation: the rate is rounded to a multiple of 2^-16 (and stays below one), because one
        64-bit draw then serves four values; ``torch.nn.functional.dropout`` takes one draw
        per value and was the most expensive operation of an epoch.
    Shapes: any -> the same.
    """
    draws, threshold = _draw(signal), _threshold(rate)
    factors = torch.empty_like(signal, requires_grad=False)
    # Comparing into floats is several times faster than making booleans first.
    torch.ge(draws, threshold - _LEVELS // 2, out=factors)
    return signal * factors.mul_(_LEVELS / (_LEVELS - threshold))


def drop_values_reference(signal: Tensor, rate: float) -> Tensor:
    """Return what ``drop_values`` does with the same random state, one plain step at a time."""
    draws, threshold = _draw(signal), _threshold(rate)
    shares = (draws.to(torch.float64) + _LEVELS / 2) / _LEVELS
    kept = shares >= threshold / _LEVELS
    return torch.where(kept, signal / (1 - threshold / _LEVELS), 0)


def _threshold(rate: float) -> int:
    return min(round(rate * _LEVELS), _LEVELS - 1)


def _draw(signal: Tensor) -> Tensor:
    """Return one uniform 16-bit number per value, in the shape of the signal."""
    words = torch.empty((signal.numel() + 3) // 4, dtype=torch.int64, device=signal.device)
    return words.random_(-(2**63), None).view(torch.int16)[: signal.numel()].view(signal.shape)
