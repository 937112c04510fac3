"""What acts on every row by itself, computed block by block so that it stays in the cache."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

BLOCK_VALUES = 2**22
"""Values of the widest intermediate in a block: 16 MB, which a shared cache holds."""
FEWEST_BLOCKS = 4
"""Below so many blocks everything is computed at once: the cache holds most of it anyway."""

Act = Callable[..., Tensor]


def compute_by_rows(
    act: Act, inputs: Sequence[Tensor], parameters: Sequence[Tensor], width: int
) -> Tensor:
    """Return ``act(*inputs)``, computed over blocks of rows if there are many.

    ``act`` maps rows to rows and reads the ``parameters``; ``width`` is how many values it
    holds a row. Deviation: gradients of the parameters are summed block by block, so they
    differ from those of the whole by round-off.
    Cost: a second forward pass in the backward pass, against many passes through main memory:
        the intermediates are never stored.
    Shapes: inputs (N, ...) each -> (N, ...).
    """
    block = max(1, BLOCK_VALUES // width)
    if len(inputs[0]) < FEWEST_BLOCKS * block or any(one.is_sparse for one in inputs):
        return act(*inputs)
    output: Tensor = _RowBlocks.apply(act, block, len(inputs), *inputs, *parameters)  # type: ignore[no-untyped-call]  # torch
    return output


class _RowBlocks(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, act: Act, block: int, count: int, *tensors: Tensor) -> Tensor:
        context.act, context.block = act, block
        # Parameters are kept as they are: the gradient is taken with respect to them.
        context.parameters = tensors[count:]
        context.save_for_backward(*tensors[:count])
        return torch.cat([act(*rows) for rows in _cut(tensors[:count], block)])

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Any, ...]:
        inputs, parameters = context.saved_tensors, context.parameters
        wanted = context.needs_input_grad[3 : 3 + len(inputs)]
        parts: list[list[Tensor]] = [[] for _ in inputs]
        sums = [torch.zeros_like(parameter) for parameter in parameters]
        arriving = torch.split(gradients[0], context.block)
        for rows, gradient in zip(_cut(inputs, context.block), arriving, strict=True):
            with torch.enable_grad():
                leaves = [
                    one.detach().requires_grad_(need)
                    for one, need in zip(rows, wanted, strict=True)
                ]
                output = context.act(*leaves)
            sources = [one for one in leaves if one.requires_grad]
            found = iter(torch.autograd.grad(output, [*sources, *parameters], gradient))
            for part, need in zip(parts, wanted, strict=True):
                part.extend([next(found)] if need else [])
            for total, share in zip(sums, found, strict=True):
                total.add_(share)
        return None, None, None, *(torch.cat(part) if part else None for part in parts), *sums


def _cut(tensors: Sequence[Tensor], block: int) -> Iterator[tuple[Tensor, ...]]:
    return zip(*(torch.split(tensor, block) for tensor in tensors), strict=True)
