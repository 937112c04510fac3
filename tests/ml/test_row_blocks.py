import pytest
import torch
from torch import Tensor

from ml import row_blocks
from ml.row_blocks import compute_by_rows

ROWS, WIDTH = 103, 6


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_blocks, "BLOCK_VALUES", 10 * WIDTH)


def weigh(kernel: Tensor, one: Tensor, other: Tensor) -> Tensor:
    return torch.tanh(one @ kernel) * other.sum(1, keepdim=True)


def run(*, by_rows: bool) -> tuple[Tensor, list[Tensor]]:
    generator = torch.Generator().manual_seed(0)
    kernel, one, other = (
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((3, WIDTH), (ROWS, 3), (ROWS, 2))
    )

    def act(first: Tensor, second: Tensor) -> Tensor:
        return weigh(kernel, first, second)

    output = compute_by_rows(act, [one, other], [kernel], WIDTH) if by_rows else act(one, other)
    (output**2).sum().backward()  # type: ignore[no-untyped-call]  # torch
    return output.detach(), [found.grad for found in (kernel, one, other) if found.grad is not None]


@pytest.mark.usefixtures("small_blocks")
def test_blocks_give_the_values_and_the_gradients_of_the_whole() -> None:
    output, gradients = run(by_rows=True)
    whole, whole_gradients = run(by_rows=False)
    assert torch.equal(output, whole)
    assert len(gradients) == 3
    for found, expected in zip(gradients, whole_gradients, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("small_blocks")
def test_an_input_that_needs_no_gradient_gets_none() -> None:
    kernel = torch.ones(3, WIDTH, requires_grad=True)
    features = torch.ones(ROWS, 3)
    compute_by_rows(lambda rows: rows @ kernel, [features], [kernel], WIDTH).sum().backward()  # type: ignore[no-untyped-call]  # torch
    assert features.grad is None
    assert kernel.grad is not None
    assert torch.equal(kernel.grad, torch.full((3, WIDTH), float(ROWS)))


@pytest.mark.usefixtures("small_blocks")
def test_no_block_holds_more_rows_than_fit() -> None:
    seen: list[int] = []

    def act(rows: Tensor) -> Tensor:
        seen.append(len(rows))
        return rows

    compute_by_rows(act, [torch.ones(ROWS, 3)], [], WIDTH)
    assert seen == [10] * 10 + [3]


def test_few_rows_are_computed_at_once() -> None:
    seen: list[int] = []

    def act(rows: Tensor) -> Tensor:
        seen.append(len(rows))
        return rows

    compute_by_rows(act, [torch.ones(ROWS, 3)], [], WIDTH)
    assert seen == [ROWS]
