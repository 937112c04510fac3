"""SL, NL, PR and their fractional versions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import FloatArray, SparseMatrix
from ml.errors import InvalidHyperparameter, InvalidSplit
from ml.graph.graph import Graph
from ml.levy.choose import choose_operator
from ml.levy.closed_forms import (
    ClosedForm,
    ClosedFormName,
    classification_functions,
    closed_form,
    label_matrix,
)
from ml.levy.dense import fractional_laplacian
from tests.ml.grids import ISOLATED, archipelago, connected_graphs, grid_like, path, random_signal

SIGMAS = [0.0, 0.25, 0.5, 1.0]
GAMMAS = [0.001, 0.1, 0.5, 1.0]


def inverse_functions(
    adjacency: SparseMatrix, known: FloatArray, alpha: float, sigma: float, gamma: float
) -> FloatArray:
    """The closed form as printed, with a dense inverse; no isolated nodes."""
    power = fractional_laplacian(adjacency, gamma)
    degrees = np.diagonal(power)
    weights = np.diag(degrees) - power
    walk = np.diag(degrees**-sigma) @ weights @ np.diag(degrees ** (sigma - 1))
    inverse = np.linalg.inv(np.eye(len(degrees)) - alpha * walk)
    return np.asarray((1 - alpha) * inverse @ known, dtype=np.float64)


def two_communities() -> Graph:
    """Two rings of eight joined by one edge; a label in each."""
    rings = [(i, (i + 1) % 8) for i in range(8)]
    edges = rings + [(i + 8, j + 8) for i, j in rings] + [(0, 8)]
    labels = np.repeat([0, 1], 8)
    return Graph(16, np.asarray(edges), np.ones(len(edges)), labels=labels)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("alpha", [0.1, 0.9, 0.99])
def test_the_solution_is_the_dense_inverse_of_the_paper(
    sigma: float, gamma: float, alpha: float
) -> None:
    graph = grid_like(80, 11)
    known = np.abs(random_signal(80))
    solved = classification_functions(graph.adjacency, known, alpha, sigma, gamma)
    expected = inverse_functions(graph.adjacency, known, alpha, sigma, gamma)
    np.testing.assert_allclose(solved, expected, atol=1e-10)


@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_a_graph_too_large_for_a_full_matrix_is_solved_as_accurately(gamma: float) -> None:
    graph = grid_like(620, 3)
    known = np.abs(random_signal(620))
    assert choose_operator(graph.adjacency, gamma, "auto").kind != "dense"
    solved = classification_functions(graph.adjacency, known, 0.9, 0.5, gamma)
    expected = inverse_functions(graph.adjacency, known, 0.9, 0.5, gamma)
    np.testing.assert_allclose(solved, expected, atol=1e-8)


@pytest.mark.parametrize("gamma", [0.3, 1.0])
def test_dense_and_sparse_input_give_the_same(gamma: float) -> None:
    graph = grid_like(30, 11)
    known = random_signal(30)
    np.testing.assert_array_equal(
        classification_functions(graph.adjacency.toarray(), known, 0.8, 0.3, gamma),
        classification_functions(graph.adjacency, known, 0.8, 0.3, gamma),
    )


@pytest.mark.parametrize(
    ("name", "sigma", "gamma"),
    [
        ("SL", 1.0, 1.0),
        ("NL", 0.5, 1.0),
        ("PR", 0.0, 1.0),
        ("FSL", 1.0, 0.2),
        ("FNL", 0.5, 0.2),
        ("FPR", 0.0, 0.2),
    ],
)
def test_the_six_names_stand_for_the_cases_of_the_paper(
    name: ClosedFormName, sigma: float, gamma: float
) -> None:
    assert closed_form(name, alpha=0.8, gamma=0.2) == ClosedForm(
        alpha=0.8, sigma=sigma, gamma=gamma
    )


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_fractional_form_at_gamma_near_one_joins_the_ordinary_one(sigma: float) -> None:
    graph = archipelago()
    known = random_signal(graph.node_count)
    np.testing.assert_allclose(
        classification_functions(graph.adjacency, known, 0.9, sigma, 1 - 1e-10),
        classification_functions(graph.adjacency, known, 0.9, sigma, 1.0),
        atol=1e-7,
    )


@given(graph=connected_graphs(), alpha=st.floats(0.01, 0.99), gamma=st.floats(0.01, 1))
@settings(max_examples=40, deadline=None)
def test_pagerank_spreads_labels_without_losing_any(
    graph: Graph, alpha: float, gamma: float
) -> None:
    known = np.abs(random_signal(graph.node_count))
    spread = classification_functions(graph.adjacency, known, alpha, 0.0, gamma)
    np.testing.assert_allclose(spread.sum(axis=0), known.sum(axis=0), rtol=1e-8)
    assert spread.min() >= -1e-12


def test_a_path_of_three_is_as_solved_by_hand() -> None:
    # F = (1-a)(I - a D^-1 W)^-1 Y with Y = e_0: F_1 = a (F_0 + F_2) / 2, F_2 = a F_1,
    # F_0 = (1-a) + a F_1; a = 1/2 gives 7/12, 1/6, 1/12.
    functions = classification_functions(
        path(3).adjacency, np.array([[1.0], [0], [0]]), alpha=0.5, sigma=1
    )
    np.testing.assert_allclose(functions[:, 0], [7 / 12, 1 / 6, 1 / 12], rtol=1e-13)


@pytest.mark.parametrize("gamma", [0.3, 1.0])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_an_isolated_node_keeps_a_share_of_its_own_label(gamma: float, sigma: float) -> None:
    graph = archipelago()
    known = random_signal(graph.node_count)
    functions = classification_functions(graph.adjacency, known, 0.7, sigma, gamma)
    np.testing.assert_allclose(functions[ISOLATED], 0.3 * known[ISOLATED], rtol=1e-12)


@pytest.mark.parametrize("name", ["SL", "NL", "PR", "FSL", "FNL", "FPR"])
def test_one_label_in_each_community_tells_the_whole_community(name: ClosedFormName) -> None:
    graph = two_communities()
    method = closed_form(name, alpha=0.9, gamma=0.8)
    np.testing.assert_array_equal(method.predict(graph, np.array([4, 12])), graph.labels)


def test_probabilities_are_distributions() -> None:
    graph = two_communities()
    probabilities = closed_form("FNL", alpha=0.9, gamma=0.3).probabilities(graph, np.array([4, 12]))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-14)
    assert (probabilities >= 0).all()


@pytest.mark.parametrize("name", ["NL", "FNL"])
def test_nodes_that_no_label_reaches_get_the_class_frequencies(name: ClosedFormName) -> None:
    base = archipelago()
    labels = np.full(22, -1)
    labels[[0, 1, 2]] = [0, 1, 1]
    graph = Graph(22, base.edges, base.weights, labels=labels)
    probabilities = closed_form(name, alpha=0.9, gamma=0.3).probabilities(graph, np.arange(3))
    beyond = graph.islands != graph.islands[0]
    np.testing.assert_allclose(probabilities[beyond], np.tile([1 / 3, 2 / 3], (beyond.sum(), 1)))


def test_the_label_matrix_holds_only_the_labels_of_the_given_nodes() -> None:
    graph = Graph(
        4, np.array([[0, 1]]), np.ones(1), labels=np.array([1, 0, -1, 1]), class_names=("a", "b")
    )
    matrix = label_matrix(graph, np.array([0, 2]))
    np.testing.assert_array_equal(matrix, [[0, 1], [0, 0], [0, 0], [0, 0]])


def test_nodes_without_any_label_are_refused() -> None:
    graph = Graph(2, np.array([[0, 1]]), np.ones(1), labels=np.array([0, -1]))
    with pytest.raises(InvalidSplit, match="label"):
        closed_form("NL", alpha=0.9).predict(graph, np.array([1]))


@pytest.mark.parametrize(
    ("alpha", "sigma", "gamma", "where"),
    [
        (1.0, 0.5, 1.0, "alpha"),
        (0.0, 0.5, 1.0, "alpha"),
        (0.5, 1.5, 1.0, "sigma"),
        (0.5, 0.5, 0.0, "gamma"),
        (math.nan, 0.5, 1.0, "alpha"),
    ],
)
def test_settings_outside_their_interval_are_refused(
    alpha: float, sigma: float, gamma: float, where: str
) -> None:
    with pytest.raises(InvalidHyperparameter, match=where):
        ClosedForm(alpha=alpha, sigma=sigma, gamma=gamma)
