"""One layer of LFGCN: parallel FGS convolution, pooling, residual block."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.config.settings import Gate, Pooling
from ml.methods.levy_layers import LayerShape
from ml.nn.filters.base import LevyFilter
from ml.nn.kernels.gated_pooling import pool_gated
from ml.nn.kernels.residual import join_residual
from ml.nn.sparse import multiply


class BranchPooling(nn.Module):
    """Merges the outputs of the parallel paths.

    Equation: Sec. III-B "Pooling layer", ``s(W^T X) max(X) + (1 - s(W^T X)) avg(X)`` for
        ``gated``; ``mixed`` has one learned share in place of ``s(W^T X)``.
    Deviation: the paper leaves the shape of the gate open. ``branch`` is that of its source
        (Lee et al. 2016): one weight per path, shared by all nodes and columns; ``channel``
        has one per path and column. Gates start at zero: half maximum, half average.
    Shapes: (n, N, F) -> (N, F).
    """

    def __init__(self, branches: int, columns: int, pooling: Pooling, gate: Gate) -> None:
        super().__init__()
        self._pooling = pooling
        self.gate: nn.Parameter | None = None
        if pooling == "mixed":
            self.gate = nn.Parameter(torch.zeros(()))
        elif pooling == "gated":
            shape = (branches,) if gate == "branch" else (branches, 1, columns)
            self.gate = nn.Parameter(torch.zeros(shape))

    def forward(self, outputs: Tensor) -> Tensor:
        """Return the pooled matrix."""
        if self._pooling == "max":
            return outputs.amax(0)
        if self.gate is None:
            return outputs.mean(0)
        if self.gate.ndim == 1:
            return pool_gated(outputs, self.gate)
        opening = self.gate if self.gate.ndim == 0 else (self.gate * outputs).sum(0)
        return torch.lerp(outputs.mean(0), outputs.amax(0), torch.sigmoid(opening))


class LevyLayer(nn.Module):
    """One FGS convolution in n parallel paths, pooled, with its skip connection.

    Equation: Eq. (FGS_convolutional_layer), ``g H W_b + b_b`` for every path b, then
        ``ReLU(ELU(pool) + skip)`` as in Sec. III-B "Residual building block".
    Deviation: ``g H W`` is computed as ``(g H) W`` or ``g (H W)``, whichever filters fewer
        columns. The skip carries ``H`` (``input``) or ``g H`` (``filtered``) through its own
        weight matrix, because the widths differ; with ``pooled`` it carries the pooled matrix P
        itself around ``ELU(P M)``. Without a skip P goes through ReLU alone; the last layer has
        no activation. Where ``filters`` is off, g is the identity.
    Shapes: (N, in) -> (N, out), or (R, out) at R chosen nodes.
    """

    def __init__(self, shape: LayerShape) -> None:
        super().__init__()
        self._shape = shape
        self._filters_first = shape.filters_first
        self.kernel = nn.Parameter(torch.empty(shape.paths, shape.inputs, shape.outputs))
        self.bias = nn.Parameter(torch.zeros(shape.paths, 1, shape.outputs))
        self.skip: nn.Parameter | None = None
        if shape.skip != "none":
            rows = shape.outputs if shape.skip == "pooled" else shape.inputs
            self.skip = nn.Parameter(torch.empty(rows, shape.outputs))
        self.pooling: BranchPooling | None = None
        if shape.paths > 1:
            self.pooling = BranchPooling(shape.paths, shape.outputs, shape.pooling, shape.gate)
        self._draw_kernels()

    def _draw_kernels(self) -> None:
        for path in range(self._shape.paths):
            nn.init.xavier_uniform_(self.kernel[path])
        if self.skip is not None:
            nn.init.xavier_uniform_(self.skip)

    def forward(
        self, signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None, *, constant: bool
    ) -> Tensor:
        """Return the activations at ``nodes``, or at all nodes if that is None.

        ``constant`` promises that the signal is the same tensor at every call, so that its
        filtered values may be reused; a filter that reuses them comes before the weights.
        """
        keeps = constant and self._shape.filters and levy_filter.keeps_constants
        if self._filters_first or keeps:
            filtered = _filter(signal, levy_filter, nodes, constant=constant)
            repeated = filtered.expand(self._shape.paths, -1, -1)
            outputs = torch.baddbmm(self.bias, repeated, self.kernel)
            skipped = self._skip(signal, filtered, nodes)
        else:
            outputs, skipped = self._multiply_then_filter(signal, levy_filter, nodes)
        return self._join(self._pool(outputs), skipped)

    def _skip(self, signal: Tensor, filtered: Tensor, nodes: Tensor | None) -> Tensor | None:
        if self.skip is None or self._shape.skip == "pooled":
            return None
        if self._shape.skip == "filtered":
            return filtered @ self.skip
        return multiply(signal, self.skip) if nodes is None else signal[nodes] @ self.skip

    def _multiply_then_filter(
        self, signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        shape = self._shape
        columns = self.kernel.transpose(0, 1).flatten(1)
        width = shape.paths * shape.outputs
        if self.skip is not None and shape.skip != "pooled":
            columns = torch.cat([columns, self.skip], dim=1)
        product = multiply(signal, columns)
        skipped = product[:, width:] if shape.skip == "input" else None
        if skipped is not None:
            product = product[:, :width]
        if shape.filters:
            filtered = _filter(product, levy_filter, nodes, constant=False)
        else:
            filtered = product if nodes is None else product[nodes]
        outputs = filtered[:, :width].reshape(-1, shape.paths, shape.outputs)
        outputs = outputs.transpose(0, 1) + self.bias
        if shape.skip == "filtered":
            return outputs, filtered[:, width:]
        return outputs, skipped if skipped is None or nodes is None else skipped[nodes]

    def _pool(self, outputs: Tensor) -> Tensor:
        if self._shape.activation == "branch" and not self._shape.last:
            outputs = functional.relu(outputs)
        return outputs[0] if self.pooling is None else self.pooling.forward(outputs)

    def _join(self, pooled: Tensor, skipped: Tensor | None) -> Tensor:
        if self._shape.last:
            return pooled if skipped is None else pooled + skipped
        if self._shape.skip == "pooled" and self.skip is not None:
            pooled, skipped = pooled @ self.skip, pooled
        if skipped is None:
            return functional.relu(pooled)
        return join_residual(pooled, skipped)


def _filter(
    signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None, *, constant: bool
) -> Tensor:
    if constant:
        filtered = levy_filter.apply_to_constant(signal)
        return filtered if nodes is None else filtered[nodes]
    return levy_filter.apply(signal) if nodes is None else levy_filter.apply_at(signal, nodes)
