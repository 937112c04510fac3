"""The filters of a graph and of its censored copies, as training uses them."""

import numpy as np
import torch

from ml.nn.filters.dense import DenseFilter
from ml.nn.filters.operator_filter import OperatorFilter
from ml.nn.views import LevyViews
from tests.ml.small_grids import quick_levy, ring_with_chords

CPU = torch.device("cpu")


def features() -> torch.Tensor:
    return torch.randn(30, 2, generator=torch.Generator().manual_seed(1))


def test_a_censored_view_is_that_of_the_graph_without_the_edges() -> None:
    config = quick_levy()
    graph = ring_with_chords()
    gone = graph.pairs[[2, 5]]
    kept = np.array([not np.any(np.all(np.sort(edge) == gone, axis=1)) for edge in graph.edges])
    smaller = ring_with_chords(edges=graph.edges[kept], weights=graph.weights[kept])
    censored = LevyViews(graph, config, CPU).censored(gone)
    expected = LevyViews(smaller, config, CPU).whole()
    torch.testing.assert_close(censored.apply(features()), expected.apply(features()))


def test_the_same_censored_graph_is_built_once() -> None:
    graph = ring_with_chords()
    views = LevyViews(graph, quick_levy(), CPU)
    first = views.censored(graph.pairs[[2, 5]])
    assert views.censored(graph.pairs[[5, 2]]) is first
    assert views.censored(graph.pairs[[5]]) is not first


def test_a_sparse_operator_trains_and_serves_like_a_dense_one() -> None:
    graph = ring_with_chords()
    dense = LevyViews(graph, quick_levy(operator="dense"), CPU)
    sparse = LevyViews(graph, quick_levy(operator="sparse"), CPU)
    values = features()
    assert isinstance(sparse.whole(), DenseFilter)
    assert isinstance(sparse.censored(graph.pairs[[2]]), OperatorFilter)
    for one, other in (
        (dense.whole(), sparse.whole()),
        (dense.censored(graph.pairs[[2]]), sparse.censored(graph.pairs[[2]])),
    ):
        torch.testing.assert_close(one.apply(values), other.apply(values), atol=1e-5, rtol=1e-4)
