"""Lemmas 1 to 3 of the paper as numerical facts."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.theory import (
    pairwise_objective,
    sampling_variance,
    spectral_gaps,
    spectral_objective,
    system_reliability,
)
from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.levy.closed_forms import classification_functions
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_signal
from tests.ml.grids import (
    ISOLATED,
    archipelago,
    complete,
    connected_graphs,
    grid_like,
    ieee118,
    path,
    random_signal,
    star,
)

SIGMAS = [0.0, 0.5, 0.8, 1.0]
GAMMAS = [0.1, 0.5, 1.0]


def label_functions(node_count: int) -> FloatArray:
    """One-hot labels of every third node."""
    known = np.zeros((node_count, 3))
    labelled = np.arange(0, node_count, 3)
    known[labelled, labelled % 2] = 1
    return known


# Lemma 1: the closed form is the stationary point of the objective.


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("alpha", [0.2, 0.9])
def test_lemma_1_the_closed_form_is_a_stationary_point(
    sigma: float, gamma: float, alpha: float
) -> None:
    graph = archipelago()
    known = label_functions(graph.node_count)
    best = classification_functions(graph.adjacency, known, alpha, sigma, gamma)

    def slope(direction: FloatArray, at: FloatArray) -> float:
        # Central differences of a quadratic are its derivative for any step.
        ahead, behind = (
            spectral_objective(
                at + step * direction, known, graph.adjacency, alpha=alpha, sigma=sigma, gamma=gamma
            )
            for step in (0.5, -0.5)
        )
        return ahead - behind

    for seed in range(5):
        direction = random_signal(graph.node_count, seed=seed)
        assert slope(direction, best) == pytest.approx(0, abs=1e-10)
        assert abs(slope(direction, known)) > 1e-3


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("gamma", GAMMAS)
def test_lemma_1_the_stationary_point_is_the_minimum(sigma: float, gamma: float) -> None:
    graph = archipelago()
    known = label_functions(graph.node_count)
    best = classification_functions(graph.adjacency, known, 0.8, sigma, gamma)
    settings_of = {"alpha": 0.8, "sigma": sigma, "gamma": gamma}
    least = spectral_objective(best, known, graph.adjacency, **settings_of)
    for seed in range(5):
        other = best + 0.1 * random_signal(graph.node_count, seed=seed)
        assert spectral_objective(other, known, graph.adjacency, **settings_of) > least


@given(graph=connected_graphs(), alpha=st.floats(0.05, 0.95), sigma=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_lemma_1_the_sum_over_edges_is_the_matrix_form(
    graph: Graph, alpha: float, sigma: float
) -> None:
    functions = random_signal(graph.node_count, seed=1)
    known = label_functions(graph.node_count)
    by_edges = pairwise_objective(functions, known, graph.adjacency, alpha=alpha, sigma=sigma)
    by_matrix = spectral_objective(functions, known, graph.adjacency, alpha=alpha, sigma=sigma)
    assert by_edges == pytest.approx(by_matrix, rel=1e-9)


@pytest.mark.parametrize(("sigma", "degree_powers"), [(1.0, (0.0, 1.0)), (0.5, (-0.5, 0.0))])
def test_lemma_1_has_the_standard_and_the_normalized_formulation_as_cases(
    sigma: float, degree_powers: tuple[float, float]
) -> None:
    graph = grid_like(15, 4)
    functions, known = random_signal(15, seed=1), label_functions(15)
    weights = graph.adjacency.toarray()
    degrees = weights.sum(axis=1)
    inside, outside = (degrees**power for power in degree_powers)
    mu = 2 / 0.7 - 2
    expected = 0.0
    for i in range(15):
        for j in range(15):
            step = inside[i] * functions[i] - inside[j] * functions[j]
            expected += weights[i, j] * float(step @ step)
        expected += mu * outside[i] * float(((functions[i] - known[i]) ** 2).sum())
    found = pairwise_objective(functions, known, graph.adjacency, alpha=0.7, sigma=sigma)
    assert found == pytest.approx(expected)


# Lemma 2: the spectral gap grows for 0 < gamma < 1.


@given(graph=connected_graphs(), gamma=st.floats(0.001, 0.99))
@settings(max_examples=60, deadline=None)
def test_lemma_2_the_spectral_gap_grows_on_connected_graphs(graph: Graph, gamma: float) -> None:
    assert spectral_gaps(graph.adjacency, gamma)[0] > spectral_gaps(graph.adjacency)[0]


@pytest.mark.parametrize("gamma", [0.001, 0.01, 0.1, 0.5, 0.9])
def test_lemma_2_the_gap_grows_on_every_island(gamma: float) -> None:
    graph = archipelago()
    before, after = spectral_gaps(graph.adjacency), spectral_gaps(graph.adjacency, gamma)
    alone = graph.islands[ISOLATED]
    assert np.isnan(before[alone])
    others = np.delete(np.arange(len(before)), alone)
    assert len(others) == 3
    assert (after[others] > before[others]).all()


@pytest.mark.parametrize("graph", [path(2), star(5), complete(4), path(30)])
def test_lemma_2_holds_at_the_extremes_of_the_spectrum(graph: Graph) -> None:
    # lambda_n = 2 on bipartite graphs, lambda_2 = 1 on stars, lambda_2 > 1 on complete ones.
    gaps = [spectral_gaps(graph.adjacency, gamma)[0] for gamma in (1.0, 0.9, 0.5, 0.1)]
    assert (np.diff(gaps) > 0).all()


def test_lemma_2_relaxation_on_ieee_118_is_many_times_shorter() -> None:
    adjacency = ieee118().adjacency
    assert spectral_gaps(adjacency, 0.1)[0] > 50 * spectral_gaps(adjacency)[0]


def test_lemma_2_does_not_extend_to_powers_of_the_plain_laplacian() -> None:
    # On a complete graph L^g is a multiple of L, so that flight mixes no faster than the walk.
    def gap(gamma: float) -> float:
        values = np.linalg.eigvalsh(DenseLevyOperator(complete(6).adjacency, gamma, 0.5).matrix)
        return float(min(1 - values[-2], 1 + values[0]))

    assert gap(0.1) == pytest.approx(gap(1.0))


# Lemma 3: variance of sampling without replacement, reliability of a parallel system.


@pytest.mark.parametrize("sample", [1, 2, 4, 6])
def test_lemma_3_the_variance_is_that_over_every_possible_sample(sample: int) -> None:
    outputs = np.random.default_rng(0).normal(size=(7, 3, 2))
    means = [outputs[list(chosen)].mean(axis=0) for chosen in combinations(range(7), sample)]
    np.testing.assert_allclose(np.var(means, axis=0), sampling_variance(outputs, sample))
    np.testing.assert_allclose(np.mean(means, axis=0), outputs.mean(axis=0))


def test_lemma_3_sampling_everything_leaves_no_variance() -> None:
    outputs = np.random.default_rng(0).normal(size=(7, 2))
    np.testing.assert_array_equal(sampling_variance(outputs, 7), 0)


@pytest.mark.parametrize("branches", [2, 4, 16])
def test_lemma_3_averaging_independent_branches_divides_the_variance_by_their_number(
    branches: int,
) -> None:
    operator = DenseLevyOperator(grid_like(20, 2).adjacency, 0.1, 0.5)
    features = filter_signal(operator, random_signal(20, columns=4), 0.3)
    draws = 4000
    kernels = np.random.default_rng(branches).normal(size=(draws, branches, 4, 5))
    outputs = np.maximum(np.einsum("nq,dbqf->dbnf", features, kernels), 0)
    single, averaged = outputs[:, 0].var(axis=0), outputs.mean(axis=1).var(axis=0)
    assert averaged.mean() / single.mean() == pytest.approx(1 / branches, rel=0.05)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_lemma_3_reliability_is_the_chance_that_not_every_component_fails(
    reliabilities: list[float],
) -> None:
    working = 0.0
    for states in product([True, False], repeat=len(reliabilities)):
        chances = [p if state else 1 - p for p, state in zip(reliabilities, states, strict=True)]
        working += float(np.prod(chances)) if any(states) else 0.0
    assert system_reliability(reliabilities) == pytest.approx(working, abs=1e-12)


def test_lemma_3_a_component_more_never_makes_a_system_less_reliable() -> None:
    assert system_reliability([0.5]) == 0.5
    assert system_reliability([0.5, 0.5]) == 0.75
    assert system_reliability([0.5, 0.0]) == 0.5
