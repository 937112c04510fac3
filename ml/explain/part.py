"""The explanation of one answer: its parts, and what each label, node or column adds."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ml.arrays import FloatArray, IntArray

PartKind = Literal["labels", "neighbours", "nodes", "columns", "frequencies", "nearest_labels"]
"""What contributes: known labels by spreading, the votes of nearest neighbours, nodes through the
filter, columns of the node, class frequencies; ``nearest_labels`` have no exact contribution."""
_NO_NODES: IntArray = np.zeros(0, dtype=np.int64)


def _no_values() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplainedPart:
    """A model, or a member of an ensemble, at one node.

    ``base + values[...].sum()`` over the contributions to a class is its score before
    normalisation. A label contributes to its own class (``classes``), a node or column to the
    explained class. ``inputs`` are the values of columns, or distances of neighbours. Without
    ``probabilities`` the part cannot be computed again without torch.

    Shapes: scores (K,), probabilities (K,), values (m,), nodes (m,) or columns of length m.
    """

    kind: PartKind
    method: str
    title: str
    weight: float = 1.0
    sharpness: float | None = None
    note: str | None = None
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    base: float = 0.0
    values: FloatArray = field(default_factory=_no_values)
    nodes: IntArray = field(default_factory=_NO_NODES.copy)
    columns: tuple[str, ...] = ()
    classes: IntArray | None = None
    inputs: FloatArray | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the contributions sum to the scores that the answer is made of."""
        return self.probabilities is not None


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """Why a model answers as it does at one node.

    ``stored`` is the answer in the model, ``rebuilt`` the one made again from the parts; None
    if a part cannot be computed again. ``out_of_fold`` says whether the label of the node was
    left out. ``hops`` counts the edges from the node, infinite on another island.

    Shapes: stored (K,), rebuilt (K,), hops (N,).
    """

    parts: tuple[ExplainedPart, ...]
    stored: FloatArray
    rebuilt: FloatArray | None
    out_of_fold: bool
    hops: FloatArray

    @property
    def difference(self) -> float | None:
        """The largest difference between the rebuilt and the stored answer."""
        return None if self.rebuilt is None else float(np.abs(self.rebuilt - self.stored).max())
