"""The arrays a stored model must have, and checks on their types, shapes and values."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ml.artifact.artifact import Tensors
from ml.errors import Fault

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ModelSizes:
    """Number of nodes, features and classes of a model."""

    nodes: int
    features: int
    classes: int


ArrayShape = tuple[int | None, ...]
"""Lengths of the dimensions; None: any length."""
ArraySpecs = dict[str, tuple[str, ArrayShape]]
"""Name to type and shape."""


def list_spec_faults(tensors: Tensors, specs: ArraySpecs) -> Iterator[Fault]:
    """Yield every array that is missing, unexpected, or of the wrong type or shape."""
    for name in sorted(set(specs) - set(tensors)):
        yield Fault(name, "is missing")
    for name in sorted(set(tensors) - set(specs)):
        yield Fault(name[:100], "is not an array of such a model")
    for name in sorted(set(tensors) & set(specs)):
        kind, shape = specs[name]
        array = tensors[name]
        if str(array.dtype) != kind:
            yield Fault(name, f"is {array.dtype}, expected {kind}")
        if len(array.shape) != len(shape) or any(
            wanted not in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
        ):
            yield Fault(name, f"has shape {array.shape}, expected {shape}")


def list_share_faults(tensors: Tensors, name: str) -> Iterator[Fault]:
    """Yield a fault if a row of the array is not a distribution over the classes."""
    rows = np.atleast_2d(tensors[name])
    if (rows < 0).any() or (np.abs(rows.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
        yield Fault(name, "has a row that is not a distribution over the classes")
