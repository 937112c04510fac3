import torch
from torch import Tensor

from ml.nn.kernels.sparse_product import multiply_rows, multiply_rows_reference
from ml.nn.sparse import from_pairs, from_pairs_transposed


def random_matrix() -> Tensor:
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(20, 30, generator=generator)
    return (dense * (dense > 0.8)).to_sparse().coalesce()


def test_values_and_gradient_are_those_of_the_reference() -> None:
    matrix = random_matrix()
    rows = from_pairs(matrix)
    kernel = torch.randn(30, 4, requires_grad=True)
    product = multiply_rows(rows, lambda: from_pairs_transposed(matrix), kernel)
    expected = multiply_rows_reference(rows, kernel)
    torch.testing.assert_close(product, expected)
    direction = torch.randn(20, 4)
    torch.testing.assert_close(
        *(torch.autograd.grad(result, kernel, direction) for result in (product, expected))
    )


def test_the_transposed_matrix_is_not_built_without_a_gradient() -> None:
    def refuse() -> Tensor:
        raise AssertionError

    with torch.no_grad():
        multiply_rows(from_pairs(random_matrix()), refuse, torch.randn(30, 4))
