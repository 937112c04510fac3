"""The pairing of operators and torch filters."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ml.levy.build import LevyFamily
from ml.levy.interface import LevyOperator
from ml.levy.limits import STORED_FILTER_NODES, STORED_WALK_NODES
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.levy.solver.powers import GraphPowers
from ml.levy.sparse import SparseLevyOperator
from ml.nn.filters.base import FilterSettings, LevyFilter
from ml.nn.filters.corrected import CorrectedFilter
from ml.nn.filters.dense import DenseFilter
from ml.nn.filters.operator_filter import OperatorFilter
from ml.nn.filters.registry import filter_for
from ml.nn.filters.walk import WalkFilter
from tests.ml.grids import grid_like, random_signal

TAYLOR, EXACT = FilterSettings(0.3, 2), FilterSettings(0.3, 2, "exact")
SMALL, LARGE = grid_like(40, 1), grid_like(800, 1)


def make_operators() -> dict[str, LevyOperator]:
    large = LevyFamily(LARGE.adjacency, 0.3, 0.4)
    return {
        "dense": LevyFamily(SMALL.adjacency, 0.3, 0.4, "dense").whole(),
        "ordinary": LevyFamily(SMALL.adjacency, 1.0, 0.4, "sparse").whole(),
        "sparse": LevyFamily(SMALL.adjacency, 0.3, 0.4, "sparse").whole(),
        "corrected": large.censored(LARGE.pairs[[3]]),
    }


OPERATORS = make_operators()


@pytest.mark.parametrize(
    ("name", "settings", "lasting", "kind"),
    [
        ("dense", TAYLOR, False, DenseFilter),
        ("dense", EXACT, True, DenseFilter),
        ("ordinary", TAYLOR, False, WalkFilter),
        ("ordinary", EXACT, False, OperatorFilter),
        ("ordinary", TAYLOR, True, DenseFilter),
        ("sparse", TAYLOR, False, OperatorFilter),
        ("sparse", EXACT, False, OperatorFilter),
        ("sparse", EXACT, True, DenseFilter),
        ("corrected", TAYLOR, False, CorrectedFilter),
        ("corrected", EXACT, False, OperatorFilter),
    ],
)
def test_each_operator_has_its_filter(
    name: str, settings: FilterSettings, lasting: bool, kind: type[LevyFilter]
) -> None:
    levy_filter = filter_for(OPERATORS[name], replace(settings, lasting=lasting))
    assert type(levy_filter) is kind
    signal = random_signal(OPERATORS[name].node_count)
    expected = OperatorFilter(OPERATORS[name], settings).apply(torch.from_numpy(signal))
    filtered = levy_filter.apply(torch.from_numpy(signal).float())
    np.testing.assert_allclose(filtered.numpy(), expected.numpy(), atol=1e-5)


def test_a_graph_beyond_the_limit_stores_no_matrix() -> None:
    walk = OrdinaryWalkOperator(grid_like(STORED_WALK_NODES + 1, 1).adjacency, 0.4)
    assert isinstance(filter_for(walk, replace(TAYLOR, lasting=True)), WalkFilter)
    power = GraphPowers(grid_like(STORED_FILTER_NODES + 1, 1).adjacency, 0.3).whole()
    levy_filter = filter_for(SparseLevyOperator(power, 0.4), replace(TAYLOR, lasting=True))
    assert isinstance(levy_filter, OperatorFilter)
    assert levy_filter.keeps_constants
