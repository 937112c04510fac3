"""Decision trees as plain arrays: written from scikit-learn, applied by numpy alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ml.arrays import FloatArray, IntArray
from ml.errors import Fault

NodeArrays = Mapping[str, npt.NDArray[Any]]
LEAF = -1


def pack_trees(trees: Sequence[Any], classes: IntArray, class_count: int) -> NodeArrays:
    """Write the trees of a forest as one list of nodes.

    Deviation: children are positions in the whole list, always behind their parent, so that a
        walk down ends whatever the numbers are.
    Shapes: ``roots`` (T,), ``feature``, ``threshold``, ``left``, ``right`` (M,) and ``shares``
        (M, K): the class frequencies at each node, of which those of the leaves decide.
    """
    parts = [tree.tree_ for tree in trees]
    sizes = np.array([part.node_count for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    shares = np.zeros((int(sizes.sum()), class_count))
    shares[:, classes] = np.concatenate([part.value[:, 0, :] for part in parts])
    return {
        "roots": starts.astype(np.int32),
        "feature": np.concatenate([part.feature for part in parts]).astype(np.int32),
        "threshold": np.concatenate([part.threshold for part in parts]).astype(np.float64),
        "left": _shift([part.children_left for part in parts], starts),
        "right": _shift([part.children_right for part in parts], starts),
        "shares": shares,
    }


def apply_trees(nodes: NodeArrays, columns: FloatArray) -> FloatArray:
    """Return the mean over the trees of the class frequencies at the leaf of each row.

    Deviation: columns are rounded to float32 before they meet a threshold, as scikit-learn
        does; the answer is bit-equal to its own.
    Cost: O(N) for each level of each tree.
    Shapes: columns (N, Q) -> (N, K).
    """
    values = columns.astype(np.float32)
    total = np.zeros((len(columns), nodes["shares"].shape[1]))
    for root in nodes["roots"]:
        total += nodes["shares"][_descend(nodes, values, int(root))]
    return total / len(nodes["roots"])


def list_tree_faults(nodes: NodeArrays, columns: int) -> Iterator[Fault]:
    """Yield what is wrong with trees over this many columns.

    Trees without a fault can be walked down: every child lies behind its parent.
    """
    left, right, roots = nodes["left"], nodes["right"], nodes["roots"]
    count = len(left)
    for name in ("feature", "threshold", "right", "shares"):
        if len(nodes[name]) != count:
            yield Fault(name, f"has {len(nodes[name])} nodes, `left` has {count}")
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
    features = nodes["feature"][inner]
    if (features < 0).any() or (features >= columns).any():
        yield Fault("feature", f"names a column outside the {columns} of the model")


def list_leaves(tree: Any) -> list[int]:
    """Return the leaves of one tree from left to right."""
    leaves: list[int] = []
    stack = [0]
    while stack:
        node = stack.pop()
        if tree.children_left[node] < 0:
            leaves.append(node)
        else:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    return leaves


def _shift(children: Sequence[npt.NDArray[Any]], starts: IntArray) -> npt.NDArray[np.int32]:
    moved = [
        np.where(own < 0, LEAF, own + start) for own, start in zip(children, starts, strict=True)
    ]
    return np.concatenate(moved).astype(np.int32)


def _descend(nodes: NodeArrays, values: npt.NDArray[np.float32], root: int) -> IntArray:
    place = np.full(len(values), root, dtype=np.int64)
    rows = np.arange(len(values))
    while True:
        rows = rows[nodes["left"][place[rows]] >= 0]
        if len(rows) == 0:
            return place
        here = place[rows]
        to_left = values[rows, nodes["feature"][here]] <= nodes["threshold"][here]
        place[rows] = np.where(to_left, nodes["left"][here], nodes["right"][here])
