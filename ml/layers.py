"""The layers of LFGCN: parallel FGS convolution, pooling over the branches, residual block."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.config import Activation, Gate, Pooling, Skip, TrainingConfig
from ml.levy_autograd import LevyFilter


@dataclass(frozen=True, slots=True)
class LayerShape:
    """How one layer is built: its columns, its branches and the readings of the paper."""

    inputs: int
    outputs: int
    branches: int
    pooling: Pooling
    gate: Gate
    skip: Skip
    activation: Activation
    last: bool


def layer_shapes(config: TrainingConfig, features: int, classes: int) -> list[LayerShape]:
    """Lay out the network: ``layers`` convolutions, the last of which gives the classes."""
    widths = [features, *[config.width] * (config.layers - 1), classes]
    shapes = []
    for position in range(config.layers):
        last = position == config.layers - 1
        shapes.append(
            LayerShape(
                inputs=widths[position],
                outputs=widths[position + 1],
                branches=config.branches,
                pooling=config.pooling,
                gate=config.gate,
                skip="none" if last and not config.output_skip else config.skip,
                activation=config.activation,
                last=last,
            )
        )
    return shapes


class BranchPooling(nn.Module):
    """Merge the outputs of the parallel branches.

    Equation: Sec. III-B "Pooling layer", ``s(W^T X) max(X) + (1 - s(W^T X)) avg(X)`` for
        ``gated``; ``mixed`` has one learned share in place of ``s(W^T X)``.
    Deviation: the paper leaves the shape of the gate open. ``branch`` is that of its source
        (Lee et al. 2016): one weight a branch, shared by all nodes and columns; ``channel``
        has one a branch and column. Gates start at zero: half maximum, half average.
    Shapes: (n, N, F) -> (N, F).
    """

    def __init__(self, shape: LayerShape) -> None:
        super().__init__()
        self._pooling = shape.pooling
        self.gate: nn.Parameter | None = None
        if shape.branches == 1:
            return
        if shape.pooling == "mixed":
            self.gate = nn.Parameter(torch.zeros(()))
        elif shape.pooling == "gated" and shape.gate == "branch":
            self.gate = nn.Parameter(torch.zeros(shape.branches))
        elif shape.pooling == "gated":
            self.gate = nn.Parameter(torch.zeros(shape.branches, 1, shape.outputs))

    def forward(self, outputs: Tensor) -> Tensor:
        """Return the pooled matrix."""
        if outputs.shape[0] == 1:
            return outputs[0]
        if self._pooling == "max":
            return outputs.amax(0)
        average = outputs.mean(0)
        if self.gate is None:
            return average
        return torch.lerp(average, outputs.amax(0), _share_of_maximum(outputs, self.gate))


def _share_of_maximum(outputs: Tensor, gate: Tensor) -> Tensor:
    if gate.ndim == 0:
        return torch.sigmoid(gate)
    if gate.ndim == 1:
        return torch.sigmoid((gate @ outputs.flatten(1)).view(outputs.shape[1:]))
    return torch.sigmoid((gate * outputs).sum(0))


class LevyLayer(nn.Module):
    """One FGS convolution in n parallel branches, pooled, with its skip connection.

    Equation: Eq. (FGS_convolutional_layer), ``g H W_b + b_b`` for every branch b, then
        ``ReLU(ELU(pool) + skip)`` as in Sec. III-B "Residual building block".
    Deviation: ``g H W`` is computed as ``(g H) W`` or ``g (H W)``, whichever filters fewer
        columns. The skip carries ``H`` (``input``) or ``g H`` (``filtered``) through a matrix
        of its own, because the widths differ. Without it the pooled matrix goes through ReLU
        alone; the last layer has no activation.
    Shapes: (N, in) -> (N, out), or (R, out) at R chosen nodes.
    """

    def __init__(self, shape: LayerShape) -> None:
        super().__init__()
        self._shape = shape
        self._filters_first = shape.inputs <= shape.branches * shape.outputs
        self.kernel = nn.Parameter(torch.empty(shape.branches, shape.inputs, shape.outputs))
        self.bias = nn.Parameter(torch.zeros(shape.branches, 1, shape.outputs))
        self.skip: nn.Parameter | None = None
        if shape.skip != "none":
            self.skip = nn.Parameter(torch.empty(shape.inputs, shape.outputs))
        self.pooling = BranchPooling(shape)
        self._draw_kernels()

    def _draw_kernels(self) -> None:
        for branch in range(self._shape.branches):
            nn.init.xavier_uniform_(self.kernel[branch])
        if self.skip is not None:
            nn.init.xavier_uniform_(self.skip)

    def forward(
        self, signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None, *, constant: bool
    ) -> Tensor:
        """Return the activations at ``nodes``, or at all nodes if that is None.

        ``constant`` says that the signal is the same tensor at every call, so that what the
        filter makes of it may be kept.
        """
        if self._filters_first:
            filtered = _filter(signal, levy_filter, nodes, constant=constant)
            branches = torch.matmul(filtered, self.kernel) + self.bias
            skipped = self._skipped_after_filter(signal, filtered, nodes)
        else:
            branches, skipped = self._multiply_then_filter(signal, levy_filter, nodes)
        if self._shape.activation == "branch" and not self._shape.last:
            branches = functional.relu(branches)
        return self._join(self.pooling(branches), skipped)

    def _skipped_after_filter(
        self, signal: Tensor, filtered: Tensor, nodes: Tensor | None
    ) -> Tensor | None:
        if self.skip is None:
            return None
        if self._shape.skip == "filtered":
            return filtered @ self.skip
        return (signal if nodes is None else signal[nodes]) @ self.skip

    def _multiply_then_filter(
        self, signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        shape = self._shape
        columns = self.kernel.transpose(0, 1).flatten(1)
        carries_filtered = self.skip is not None and shape.skip == "filtered"
        if self.skip is not None and carries_filtered:
            columns = torch.cat([columns, self.skip], dim=1)
        filtered = _filter(signal @ columns, levy_filter, nodes, constant=False)
        split = shape.branches * shape.outputs
        branches = filtered[:, :split].view(-1, shape.branches, shape.outputs)
        branches = branches.transpose(0, 1) + self.bias
        if carries_filtered:
            return branches, filtered[:, split:]
        return branches, self._skipped_after_filter(signal, filtered, nodes)

    def _join(self, pooled: Tensor, skipped: Tensor | None) -> Tensor:
        if self._shape.last:
            return pooled if skipped is None else pooled + skipped
        if skipped is None:
            return functional.relu(pooled)
        return functional.relu(functional.elu(pooled) + skipped)


def _filter(
    signal: Tensor, levy_filter: LevyFilter, nodes: Tensor | None, *, constant: bool
) -> Tensor:
    if constant:
        filtered = levy_filter.apply_to_constant(signal)
        return filtered if nodes is None else filtered[nodes]
    return levy_filter.apply(signal) if nodes is None else levy_filter.apply_at(signal, nodes)
