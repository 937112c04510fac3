"""Rules that the arrays of stored baselines must keep, whoever wrote them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ml.errors import Fault

_SUM_TOLERANCE = 1e-6
Tensors = Mapping[str, npt.NDArray[Any]]


def list_array_faults(method: str, tensors: Tensors, columns: int) -> list[Fault]:
    """Return what is wrong with arrays of the right names, types and dimensions.

    ``columns`` is how many columns a forest may look at. After this a forest can be walked
    down: every child lies behind its parent.
    """
    faults = [*_share_faults(tensors)]
    if method == "one_rule":
        faults.extend(_rule_faults(tensors))
    if method == "forest":
        faults.extend(_forest_faults(tensors, columns))
    return faults


def _share_faults(tensors: Tensors) -> Iterator[Fault]:
    for name in ("frequencies", "shares", "scores"):
        rows = np.atleast_2d(tensors[name]) if name in tensors else np.ones((0, 1))
        if (rows < 0).any() or (np.abs(rows.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
            yield Fault(name, "has a row that is not a distribution over the classes")


def _rule_faults(tensors: Tensors) -> Iterator[Fault]:
    cuts = tensors["cuts"]
    if len(tensors["shares"]) != len(cuts) + 1:
        yield Fault("shares", f"has {len(tensors['shares'])} rows for {len(cuts)} cuts")
    if (np.diff(cuts) < 0).any():
        yield Fault("cuts", "do not ascend")


def _forest_faults(tensors: Tensors, columns: int) -> Iterator[Fault]:
    left, right, roots = tensors["left"], tensors["right"], tensors["roots"]
    count = len(left)
    for name in ("feature", "threshold", "right", "shares"):
        if len(tensors[name]) != count:
            yield Fault(name, f"is of {len(tensors[name])} nodes, `left` of {count}")
            return
    if len(roots) == 0 or (roots < 0).any() or (roots >= count).any():
        yield Fault("roots", "names no tree, or a node that does not exist")
    inner = left >= 0
    if ((right >= 0) != inner).any():
        yield Fault("right", "has a child where `left` has none, or the other way round")
    for name, children in (("left", left), ("right", right)):
        outside = (children < -1) | (children >= count)
        backwards = inner & (children <= np.arange(count))
        if outside.any() or backwards.any():
            yield Fault(name, "has a child that does not exist or does not lie behind its parent")
    features = tensors["feature"][inner]
    if (features < 0).any() or (features >= columns).any():
        yield Fault("feature", f"names a column outside the {columns} that there are")
