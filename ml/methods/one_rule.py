"""One rule (Holte 1993): a single column, cut into a few intervals with one class each."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.artifact.trees import list_leaves
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.baseline_inference import DEGREE, NOT_ZERO, rule_column

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

PUBLISHED: dict[str, Any] = {"column": "degree", "leaves": 2}


def fit(
    graph: Graph, split: Split, settings: dict[str, Any], seed: int
) -> tuple[FloatArray, Tensors]:
    """Give every interval of the column the class frequencies of its training nodes.

    Equation: Holte (1993), 1R.
    Deviation: the cuts are those of a decision tree with ``leaves`` leaves on this column.
    Shapes: (N, K), rows sum to one; ``cuts`` (C,) ascending, ``shares`` (C + 1, K).
    """
    tree, values = _fit(graph, split, settings, seed)
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, tree.classes_] = tree.predict_proba(values)
    leaves = list_leaves(tree.tree_)
    shares = np.zeros((len(leaves), graph.class_count))
    shares[:, tree.classes_] = tree.tree_.value[leaves, 0, :]
    return probabilities, {"cuts": _cuts(tree), "shares": shares}


def classify(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> FloatArray:
    """Return the probabilities of ``fit`` alone, (N, K)."""
    return fit(graph, split, settings, seed)[0]


def describe_rule(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> str:
    """Write the rule in words, such as ``Pd up to 4.5: neither; above: load``."""
    tree, _ = _fit(graph, split, settings, seed)
    cuts = _cuts(tree).tolist()
    called = tree.classes_[tree.tree_.value[list_leaves(tree.tree_), 0, :].argmax(axis=1)]
    classes = [graph.class_names[label] for label in called]
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
) -> tuple["DecisionTreeClassifier", FloatArray]:
    # Imported late: most jobs end before a rule is looked for, and this takes a second.
    from sklearn.tree import DecisionTreeClassifier

    values = rule_column(graph, str(settings["column"]))[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=settings["leaves"], random_state=seed)
    tree.fit(values[split.train], graph.labels[split.train])
    return tree, values


def _cuts(tree: "DecisionTreeClassifier") -> FloatArray:
    inner = tree.tree_.children_left >= 0
    return np.sort(np.asarray(tree.tree_.threshold[inner], dtype=np.float64))
