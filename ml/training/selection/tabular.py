"""Feature methods as candidates: forests, logistic regression, nearest neighbours."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Tensors
from ml.artifact.trees import pack_trees
from ml.graph.graph import Graph

TREES = 60
_LEAST = 1e-12


class FittedColumns(NamedTuple):
    """A trained feature method.

    ``unseen`` are the answers at the training nodes of trees that did not see them, if the
    method has such; those that every tree saw have the mean of the others.

    Shapes: probabilities (N, K), unseen (t, K).
    """

    probabilities: FloatArray
    tensors: Tensors
    unseen: FloatArray | None = None


def fit_tabular(
    method: str,
    settings: dict[str, Any],
    columns: FloatArray,
    graph: Graph,
    train: IntArray,
    seed: int,
) -> FittedColumns:
    """Train on the rows of ``train``; return probabilities of every node and the arrays.

    Shapes: columns (N, Q), train (t,); rows sum to one. The arrays of a forest are
        node arrays of ``ml.artifact.trees``; those of a logistic regression ``weights`` (K, Q)
        and ``bias`` (K,); of nearest neighbours ``rows`` (t, Q) and ``labels`` (t,).
    """
    labels = graph.labels[train]
    if len(np.unique(labels)) < 2:
        return FittedColumns(_only_class(graph, int(labels[0])), {"label": labels[:1]})
    if method in {"forest", "extra_trees"}:
        return _grow_forest(method, settings, columns, graph, train, seed)
    if method == "logistic":
        return _regress(settings, columns, graph, train)
    if method == "nearest":
        return _find_nearest(settings, columns, graph, train)
    raise ValueError(f"no feature method is called {method}")


def _only_class(graph: Graph, label: int) -> FloatArray:
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, label] = 1
    return probabilities


def _grow_forest(
    method: str,
    settings: dict[str, Any],
    columns: FloatArray,
    graph: Graph,
    train: IntArray,
    seed: int,
) -> FittedColumns:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    kind = RandomForestClassifier if method == "forest" else ExtraTreesClassifier
    options = {"oob_score": True} if "smooth" in settings else {}
    forest = kind(settings.get("trees", TREES), random_state=seed, **options)
    with warnings.catch_warnings():
        # With one or two labels per class it asks whether the classes are meant as numbers,
        # and few trees leave nodes without a tree that did not see them.
        warnings.simplefilter("ignore", UserWarning)
        forest.fit(columns[train], graph.labels[train])
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, forest.classes_] = forest.predict_proba(columns)
    arrays = pack_trees(forest.estimators_, forest.classes_, graph.class_count)
    unseen = _read_unseen(forest, graph.class_count) if options else None
    return FittedColumns(probabilities, arrays, unseen)


def _read_unseen(forest: Any, classes: int) -> FloatArray:
    votes = np.asarray(forest.oob_decision_function_)
    known = np.isfinite(votes).all(axis=1) & (votes.sum(axis=1) > 0)
    votes = np.where(known[:, None], votes, votes[known].mean(axis=0) if known.any() else 0.0)
    unseen = np.zeros((len(votes), classes))
    unseen[:, forest.classes_] = votes
    return unseen


def _regress(
    settings: dict[str, Any], columns: FloatArray, graph: Graph, train: IntArray
) -> FittedColumns:
    """Fit multinomial logistic regression; two classes are given one column each."""
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(C=settings["C"], max_iter=300, tol=1e-3)
    regression.fit(columns[train], graph.labels[train])
    coefficients, intercepts = regression.coef_, regression.intercept_
    if len(regression.classes_) == 2:
        coefficients = np.concatenate([0 * coefficients, coefficients])
        intercepts = np.concatenate([0 * intercepts, intercepts])
    weights = np.zeros((graph.class_count, columns.shape[1]))
    bias = np.full(graph.class_count, -np.inf)
    weights[regression.classes_] = coefficients
    bias[regression.classes_] = intercepts
    finite = np.where(np.isfinite(bias), bias, -1e9)
    arrays = {"weights": weights, "bias": finite}
    return FittedColumns(apply_logistic(weights, finite, columns), arrays)


def apply_logistic(weights: FloatArray, bias: FloatArray, columns: FloatArray) -> FloatArray:
    """Return softmax probabilities. Shapes: (K, Q), (K,), (N, Q) -> (N, K)."""
    logits = columns @ weights.T + bias
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _find_nearest(
    settings: dict[str, Any], columns: FloatArray, graph: Graph, train: IntArray
) -> FittedColumns:
    rows, labels = columns[train], graph.labels[train]
    count = min(settings["neighbours"], len(train))
    probabilities = apply_nearest(rows, labels, columns, count, graph.class_count)
    return FittedColumns(probabilities, {"rows": rows, "labels": labels})


def apply_nearest(
    rows: FloatArray, labels: IntArray, columns: FloatArray, neighbours: int, classes: int
) -> FloatArray:
    """Return the votes of the nearest rows, weighted by one over the distance.

    Shapes: rows (t, Q), labels (t,), columns (N, Q) -> (N, K), rows sum to one.
    """
    found, votes, _ = weigh_neighbours(rows, columns, neighbours)
    probabilities = np.zeros((len(columns), classes))
    for position, voters in enumerate(found.T):
        np.add.at(probabilities, (np.arange(len(columns)), labels[voters]), votes[:, position])
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


def weigh_neighbours(
    rows: FloatArray, columns: FloatArray, neighbours: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the nearest rows of each node, their votes and their distances, (N, neighbours)."""
    from scipy.spatial import cKDTree

    tree = cKDTree(rows)
    distances, found = (np.asarray(one) for one in tree.query(columns, k=neighbours))
    distances = distances.reshape(len(columns), -1)
    votes = 1 / (distances + _LEAST + 1e-3 * distances.mean())
    return found.reshape(len(columns), -1), votes, distances
