"""One rule (Holte 1993): a single column, cut into a few intervals with one class each."""

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ml.arrays import FloatArray
from ml.graph import Graph
from ml.levy.laplacian import degrees_of
from ml.split import Split

PUBLISHED: dict[str, Any] = {"column": "degree", "leaves": 2}
DEGREE = "degree"
NOT_ZERO = " is not zero"


def classify(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> FloatArray:
    """Give every interval of the column the class frequencies of its training nodes.

    Equation: Holte (1993), 1R.
    Deviation: the cuts are those of a decision tree with ``leaves`` leaves on this column.
    Shapes: (N, K), rows sum to one.
    """
    tree, values = _fit(graph, split, settings, seed)
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, tree.classes_] = tree.predict_proba(values)
    return probabilities


def describe_rule(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> str:
    """Write the rule in words, such as ``Pd up to 4.5: neither; above: load``."""
    tree, _ = _fit(graph, split, settings, seed)
    cuts = sorted(tree.tree_.threshold[tree.tree_.children_left >= 0].tolist())
    above = cuts[-1] + 1 + abs(cuts[-1]) if cuts else 0.0
    inside = np.array([*cuts, above])[:, np.newaxis]
    classes = [graph.class_names[label] for label in tree.predict(inside)]
    name = str(settings["column"])
    if name.endswith(NOT_ZERO) and len(classes) == 2:
        return f"{name.removesuffix(NOT_ZERO)} zero: {classes[0]}; not zero: {classes[1]}"
    parts = [f"up to {cut:.4g}: {label}" for cut, label in zip(cuts, classes, strict=False)]
    parts.append(f"{'above' if cuts else 'any'}: {classes[-1]}")
    return f"{name} {'; '.join(parts)}"


def list_rules(graph: Graph) -> list[dict[str, Any]]:
    """Return the settings of every rule: each column, whether it is zero, and the degree."""
    zero = (graph.features == 0).any(axis=0) & (graph.features != 0).any(axis=0)
    names = [*graph.feature_names, DEGREE]
    names += [f"{graph.feature_names[column]}{NOT_ZERO}" for column in np.flatnonzero(zero)]
    counts = dict.fromkeys((2, max(2, graph.class_count)))
    return [{"column": name, "leaves": leaves} for name in names for leaves in counts]


def _fit(
    graph: Graph, split: Split, settings: dict[str, Any], seed: int
) -> tuple[DecisionTreeClassifier, FloatArray]:
    values = _column(graph, str(settings["column"]))[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=settings["leaves"], random_state=seed)
    tree.fit(values[split.train], graph.labels[split.train])
    return tree, values


def _column(graph: Graph, name: str) -> FloatArray:
    if name in graph.feature_names:
        return np.asarray(graph.features[:, graph.feature_names.index(name)])
    if name == DEGREE:
        return degrees_of(graph.adjacency)
    values = graph.features[:, graph.feature_names.index(name.removesuffix(NOT_ZERO))]
    return np.asarray(values != 0, dtype=np.float64)
