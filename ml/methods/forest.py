"""Random forest (Breiman 2001) from scikit-learn: the features of each bus by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.inputs import add_degree, pick_columns
from ml.artifact.schema import ArraySpecs, ModelSizes, list_share_faults
from ml.artifact.trees import apply_trees, list_tree_faults, pack_trees
from ml.config.field import setting
from ml.config.settings import MethodSettings
from ml.errors import Fault
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.base import Method

_LEAVES = (1, 2, 4)


@dataclass(frozen=True, kw_only=True)
class ForestSettings(MethodSettings):
    """Number and size of the trees."""

    method: ClassVar[str] = "forest"

    trees: int = setting(100, "Number of trees.", "[1, 10000]")
    depth: int | None = setting(None, "Maximum depth of a tree; null: any.", "[1, 10000]")
    leaf: int = setting(1, "Minimum number of training buses per leaf.", "[1, 1000000]")


def fit(graph: Graph, split: Split, settings: ForestSettings) -> tuple[FloatArray, Tensors]:
    """Train on the features and the weighted degree of the training nodes.

    Deviation: the degree is the only property of the graph that it sees.
    Shapes: (N, K), rows sum to one; the trees as node arrays of ``ml.artifact.trees``.
    """
    # Imported late: most jobs end before a forest is grown, and this takes as long as torch.
    from sklearn.ensemble import RandomForestClassifier

    columns = add_degree(graph.features, graph)
    forest = RandomForestClassifier(
        n_estimators=settings.trees,
        max_depth=settings.depth,
        min_samples_leaf=settings.leaf,
        random_state=settings.seed,
    )
    forest.fit(columns[split.train], graph.labels[split.train])
    probabilities = np.zeros((graph.node_count, graph.class_count))
    probabilities[:, forest.classes_] = forest.predict_proba(columns)
    return probabilities, pack_trees(forest.estimators_, forest.classes_, graph.class_count)


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Walk every node down the stored trees, (N, K)."""
    return apply_trees(artifact.tensors(), add_degree(pick_columns(artifact, graph), graph))


def list_arrays(settings: ForestSettings, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    links: ArraySpecs = dict.fromkeys(("feature", "left", "right"), ("int32", (None,)))
    return links | {
        "roots": ("int32", (settings.trees,)),
        "threshold": ("float64", (None,)),
        "shares": ("float64", (None, sizes.classes)),
    }


def list_array_faults(
    _settings: ForestSettings, tensors: Tensors, sizes: ModelSizes
) -> Iterator[Fault]:
    """Yield what is wrong with the stored values; after this every tree can be walked down."""
    yield from list_share_faults(tensors, "shares")
    # A forest sees the degree beside the features.
    yield from list_tree_faults(tensors, sizes.features + 1)


METHOD = Method(
    key="forest",
    title="Random forest",
    description="random forest on the features and the degree of each bus",
    settings=ForestSettings,
    published={"trees": 100, "depth": None, "leaf": 1},
    fit=fit,
    predict=predict,
    list_arrays=list_arrays,
    list_array_faults=list_array_faults,
    baseline_choices=lambda _graph, _config: [
        {"trees": 100, "depth": None, "leaf": leaf} for leaf in _LEAVES
    ],
    automatic=True,
)
