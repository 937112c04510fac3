"""The ordinary walk, gamma = 1."""

import numpy as np
import pytest

from ml.errors import InvalidHyperparameter
from ml.levy.dense import DenseLevyOperator
from ml.levy.ordinary import OrdinaryWalkOperator
from tests.ml.grids import archipelago, random_signal


@pytest.mark.parametrize("sigma", [0.0, 0.3, 1.0])
def test_the_ordinary_walk_equals_the_dense_operator_of_gamma_one(sigma: float) -> None:
    graph = archipelago()
    reference = DenseLevyOperator(graph.adjacency, 1.0, sigma)
    operator = OrdinaryWalkOperator(graph.adjacency, sigma)
    signal = random_signal(22)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-14)
    transposed = reference.apply_transposed(signal)
    np.testing.assert_allclose(operator.apply_transposed(signal), transposed, atol=1e-14)
    np.testing.assert_allclose(operator.diagonal(), reference.diagonal(), atol=1e-14)


def test_sigma_outside_its_interval_is_refused() -> None:
    with pytest.raises(InvalidHyperparameter, match="sigma"):
        OrdinaryWalkOperator(archipelago().adjacency, 1.1)
