"""Memory and time before a job starts."""

from dataclasses import replace

import numpy as np
import pytest

from ml.config.levy import LfgcnPlusSettings
from ml.graph.graph import Graph
from ml.methods.registry import METHODS, estimate, make_config
from tests.ml.grids import make_graph, path, tangle

MEGABYTE = 2**20


def ladder(rungs: int) -> Graph:
    """Two long lines side by side: a grid without long loops."""
    rails = [(node, node + 2) for node in range(2 * rungs - 2)]
    return make_graph([*rails, *((2 * rung, 2 * rung + 1) for rung in range(rungs))])


def test_a_small_grid_fits_anywhere() -> None:
    found = estimate(path(118).adjacency, make_config())
    assert found.kind == "corrected"
    assert found.memory_bytes < 600 * MEGABYTE
    assert found.epoch_seconds < 0.1


def test_a_full_matrix_of_a_large_grid_is_refused_by_its_number() -> None:
    chain = path(82_000).adjacency
    found = estimate(chain, make_config(operator="dense"))
    assert found.kind == "dense"
    assert found.memory_bytes > 100 * 1024 * MEGABYTE
    assert found.setup_seconds > 3600


def test_sparse_factors_of_a_large_grid_fit_into_a_few_gigabytes() -> None:
    found = estimate(ladder(15_000).adjacency, make_config())
    assert found.kind == "sparse"
    assert found.memory_bytes < 4096 * MEGABYTE
    assert "factor entries per node" in found.reason


@pytest.mark.parametrize("operator", ["dense", "sparse"])
def test_dropping_edges_costs_time(operator: str) -> None:
    grid = ladder(2000).adjacency
    without, dropping = (
        estimate(grid, make_config(operator=operator, drop_edge=kind))
        for kind in ("none", "preferential")
    )
    assert dropping.epoch_seconds > without.epoch_seconds


def test_wide_features_are_filtered_after_the_weights_and_back() -> None:
    grid = ladder(4000).adjacency
    narrow, wide, wider = (estimate(grid, make_config(), count) for count in (8, 500, 5000))
    assert wide.epoch_seconds > 2 * narrow.epoch_seconds
    assert wider.epoch_seconds == wide.epoch_seconds


def test_large_kernels_are_counted_with_their_gradients_and_moments() -> None:
    huge = make_config(width=4096, layers=16, branches=64)
    entries = 14 * 65 * 4096**2
    assert estimate(path(118).adjacency, huge).memory_bytes > 5 * 4 * entries


def test_every_member_of_an_ensemble_is_counted() -> None:
    grid = ladder(4000).adjacency
    config = LfgcnPlusSettings(members=2)
    two, eight = (estimate(grid, replace(config, members=count)) for count in (2, 8))
    one = estimate(grid, make_config())
    assert one.memory_bytes < two.memory_bytes < eight.memory_bytes
    assert eight.epoch_seconds > 2 * two.epoch_seconds > 2 * one.epoch_seconds


def test_a_dense_core_is_counted() -> None:
    around = estimate(tangle(900, 5000).adjacency, make_config(drop_edge="none"))
    grid = estimate(ladder(2950).adjacency, make_config(drop_edge="none"))
    assert "around a core" in around.reason
    assert around.memory_bytes > grid.memory_bytes + 8 * 16 * 400**2
    assert around.setup_seconds > grid.setup_seconds


def test_the_cost_grows_with_the_size_of_the_grid() -> None:
    sizes = [estimate(ladder(count).adjacency, make_config()) for count in (2000, 8000)]
    assert sizes[1].memory_bytes > sizes[0].memory_bytes
    assert sizes[1].epoch_seconds > 2 * sizes[0].epoch_seconds


def test_an_ordinary_walk_costs_next_to_nothing() -> None:
    graph = Graph(5000, np.stack([np.arange(4999), np.arange(1, 5000)], axis=1), np.ones(4999))
    found = estimate(graph.adjacency, make_config(gamma=1.0))
    factored = estimate(graph.adjacency, make_config(gamma=0.1))
    assert found.kind == "ordinary"
    assert found.setup_seconds < factored.setup_seconds
    assert found.epoch_seconds < factored.epoch_seconds


def test_what_is_heard_of_the_labels_is_counted() -> None:
    walk = path(6000).adjacency
    config = LfgcnPlusSettings(label_spreading="clamped")
    none, many = (estimate(walk, config, known=known) for known in (0, 3000))
    assert many.memory_bytes - none.memory_bytes > 8 * 6000 * 3000
    assert many.epoch_seconds > none.epoch_seconds + 0.2  # 0.47 s was measured on one thread
    hidden = replace(config, hidden_labels=1.0)
    assert estimate(walk, hidden, known=3000) == estimate(walk, hidden)


def test_a_network_that_filters_last_filters_fewer_columns() -> None:
    walk = path(6000).adjacency
    config = LfgcnPlusSettings(gamma=0.5, operator="sparse")
    last = replace(config, filtered_layers="last")
    one, both = (estimate(walk, each, features=500).epoch_seconds for each in (last, config))
    assert one < both - 0.01


@pytest.mark.parametrize("key", sorted(METHODS))
def test_every_method_needs_more_memory_and_time_for_a_larger_grid(key: str) -> None:
    small, large = (
        estimate(path(count).adjacency, METHODS[key].settings()) for count in (1000, 100_000)
    )
    assert large.memory_bytes > small.memory_bytes
    assert large.setup_seconds + large.epoch_seconds > small.setup_seconds + small.epoch_seconds
