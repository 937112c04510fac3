"""What every node contributes to the answer of an LFGCN through the filter of its last layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax

from ml.arrays import FloatArray, SparseMatrix
from ml.artifact.artifact import Tensors
from ml.config.levy import LfgcnSettings
from ml.explain.part import ExplainedPart
from ml.levy.build import LevyFamily
from ml.levy.filter import filter_transposed
from ml.levy.interface import LevyOperator
from ml.methods.lfgcn import Layer, reach_last_layer, weigh_paths


@dataclass(frozen=True, eq=False)
class LastLayer:
    """The last layer of an LFGCN: its operator, its input and its arrays.

    Shapes: hidden (N, C).
    """

    operator: LevyOperator
    hidden: FloatArray
    layer: Layer
    config: LfgcnSettings

    @classmethod
    def reach(
        cls, adjacency: SparseMatrix, signal: FloatArray, tensors: Tensors, config: LfgcnSettings
    ) -> "LastLayer":
        """Run all layers before the last one. Shapes: signal (N, Q) scaled features."""
        family = LevyFamily(adjacency, config.gamma, config.sigma, config.operator)
        operator = family.whole_once()
        return cls(operator, *reach_last_layer(tensors, signal, operator, config), config)

    def read_filter(self, node: int) -> FloatArray:
        """Return the row of the FGS filter at a node: ``(g H)_node = row @ H``. Shapes: (N,)."""
        unit = np.zeros((len(self.hidden), 1))
        unit[node] = 1
        config = self.config
        settings = (config.alpha, config.taylor_order, config.filter_method)
        return filter_transposed(self.operator, unit, *settings)[:, 0]

    def explain(self, node: int, target: int, described: Mapping[str, Any]) -> ExplainedPart:
        """Return what every node adds to the logit of a class, exactly.

        Equation: Eq. (FGS_convolutional_layer): the filter is linear and pooling is a weighted
            sum of the paths, with the weights that it has at this node. The residual connection
            from the input belongs to the node itself; the base is the bias.
        """
        row = self.read_filter(node)
        kernel = self.layer["kernel"].astype(np.float64)
        bias = self.layer["bias"].astype(np.float64)
        paths = (row @ self.hidden)[None, None] @ kernel + bias
        pooling = weigh_paths(paths, self.layer, self.config)[:, 0]
        effective = np.einsum("pk,pck->ck", pooling, kernel)
        base = (pooling * bias[:, 0]).sum(axis=0)
        own = np.zeros(len(base))
        if "skip" in self.layer:
            skip = self.layer["skip"].astype(np.float64)
            if self.config.skip == "filtered":
                effective = effective + skip
            else:
                own = self.hidden[node] @ skip
        scores = (row @ self.hidden) @ effective + own + base
        values = row * (self.hidden @ effective[:, target])
        values[node] += own[target]
        return ExplainedPart(
            kind="nodes",
            **described,
            scores=scores,
            probabilities=softmax(scores),
            base=float(base[target]),
            values=values,
            nodes=np.arange(len(row)),
            inputs=row,
        )
