"""One rule (Holte 1993): a single column, cut into a few intervals with one class each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.inputs import pick_columns
from ml.artifact.schema import ArraySpecs, ModelSizes, list_share_faults
from ml.artifact.trees import list_leaves
from ml.config.field import setting
from ml.config.settings import MethodSettings, NetworkSettings
from ml.errors import Fault
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of
from ml.graph.split import Split
from ml.methods.base import Choices, Method

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

DEGREE = "degree"
NOT_ZERO = " is not zero"


@dataclass(frozen=True, kw_only=True)
class OneRuleSettings(MethodSettings):
    """Which column is cut, and into how many intervals."""

    method: ClassVar[str] = "one_rule"

    column: str = setting(
        DEGREE, f"Column to cut: a feature, a feature with {NOT_ZERO!r} behind it, or the degree."
    )
    leaves: int = setting(2, "Maximum number of intervals.", "[2, 10000]")


def fit(graph: Graph, split: Split, settings: OneRuleSettings) -> tuple[FloatArray, Tensors]:
    """Give every interval of the column the class frequencies of its training nodes.

    Equation: Holte (1993), 1R.
    Deviation: the cuts are those of a decision tree with ``leaves`` leaves on this column.
    Shapes: (N, K), rows sum to one; ``cuts`` (C,) ascending, ``shares`` (C + 1, K).
    """
    tree, values = _grow_tree(graph, split, settings)
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, tree.classes_] = tree.predict_proba(values)
    leaves = list_leaves(tree.tree_)
    shares = np.zeros((len(leaves), graph.class_count))
    shares[:, tree.classes_] = tree.tree_.value[leaves, 0, :]
    return probabilities, {"cuts": _cuts(tree), "shares": shares}


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Look up the interval of every node, (N, K)."""
    tensors = artifact.tensors()
    pick_columns(artifact, graph)
    values = rule_column(graph, artifact.manifest["config"]["column"]).astype(np.float32)
    # A value on a cut belongs to the interval below it.
    intervals = np.searchsorted(tensors["cuts"], values.astype(np.float64), side="left")
    return np.asarray(tensors["shares"][intervals])


def rule_column(graph: Graph, name: str) -> FloatArray:
    """Return the column that a rule cuts: a feature, whether it is zero, or the degree, (N,)."""
    if name in graph.feature_names:
        return np.asarray(graph.features[:, graph.feature_names.index(name)])
    if name == DEGREE:
        return degrees_of(graph.adjacency)
    values = graph.features[:, graph.feature_names.index(name.removesuffix(NOT_ZERO))]
    return np.asarray(values != 0, dtype=np.float64)


def describe_rule(graph: Graph, split: Split, settings: OneRuleSettings) -> str:
    """Write the rule in words, such as ``Pd up to 4.5: neither; above: load``."""
    tree, _ = _grow_tree(graph, split, settings)
    cuts = _cuts(tree).tolist()
    labels = tree.classes_[tree.tree_.value[list_leaves(tree.tree_), 0, :].argmax(axis=1)]
    classes = [graph.class_names[label] for label in labels]
    name = settings.column
    if name.endswith(NOT_ZERO) and len(classes) == 2:
        return f"{name.removesuffix(NOT_ZERO)} zero: {classes[0]}; not zero: {classes[1]}"
    parts = [f"up to {cut:.4g}: {label}" for cut, label in zip(cuts, classes, strict=False)]
    parts.append(f"{'above' if cuts else 'any'}: {classes[-1]}")
    return f"{name} {'; '.join(parts)}"


def list_rules(graph: Graph, _config: NetworkSettings) -> Choices:
    """Return the settings of every rule: each column, whether it is zero, and the degree."""
    zero = (graph.features == 0).any(axis=0) & (graph.features != 0).any(axis=0)
    names = [*graph.feature_names, DEGREE]
    names += [f"{graph.feature_names[column]}{NOT_ZERO}" for column in np.flatnonzero(zero)]
    counts = dict.fromkeys((2, max(2, graph.class_count)))
    return [{"column": name, "leaves": leaves} for name in names for leaves in counts]


def list_arrays(_settings: OneRuleSettings, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    return {"cuts": ("float64", (None,)), "shares": ("float64", (None, sizes.classes))}


def list_array_faults(
    _settings: OneRuleSettings, tensors: Tensors, _sizes: ModelSizes
) -> Iterator[Fault]:
    """Yield what is wrong with the stored values."""
    yield from list_share_faults(tensors, "shares")
    cuts = tensors["cuts"]
    if len(tensors["shares"]) != len(cuts) + 1:
        yield Fault("shares", f"has {len(tensors['shares'])} rows for {len(cuts)} cuts")
    if (np.diff(cuts) < 0).any():
        yield Fault("cuts", "do not ascend")


def list_setting_faults(settings: OneRuleSettings, feature_names: list[str]) -> Iterator[Fault]:
    """Yield a fault if the model does not know the column."""
    column = settings.column
    columns = {DEGREE, *feature_names}
    if column not in columns and column.removesuffix(NOT_ZERO) not in feature_names:
        yield Fault("column", "is not a column of the model")


def _grow_tree(
    graph: Graph, split: Split, settings: OneRuleSettings
) -> tuple["DecisionTreeClassifier", FloatArray]:
    # Imported late: most jobs end before a rule is looked for, and this takes a second.
    from sklearn.tree import DecisionTreeClassifier

    values = rule_column(graph, settings.column)[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=settings.leaves, random_state=settings.seed)
    tree.fit(values[split.train], graph.labels[split.train])
    return tree, values


def _cuts(tree: Any) -> FloatArray:
    inner = tree.tree_.children_left >= 0
    return np.sort(np.asarray(tree.tree_.threshold[inner], dtype=np.float64))


METHOD = Method(
    key="one_rule",
    title="One rule",
    description="one column, cut into intervals with the class frequencies of each",
    settings=OneRuleSettings,
    fit=fit,
    predict=predict,
    list_arrays=list_arrays,
    list_array_faults=list_array_faults,
    list_setting_faults=list_setting_faults,
    baseline_choices=list_rules,
    describe_fit=describe_rule,
)
