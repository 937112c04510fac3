"""The rule an engineer would write by hand; for reference, it learns nothing."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.config.settings import MethodSettings
from ml.errors import DatasetUnavailable
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.base import Method

GENERATOR_VOLTAGE = 30.0
"""Below this base voltage, in kV, a bus without load is the terminal of a generator."""
NEITHER, LOAD, GENERATOR = "neither", "load", "generator"


@dataclass(frozen=True, kw_only=True)
class HandRuleSettings(MethodSettings):
    """The rule has no settings."""

    method: ClassVar[str] = "hand_rule"


def fit(graph: Graph, _split: Split, _settings: HandRuleSettings) -> tuple[FloatArray, Tensors]:
    """Apply "a load makes a load bus, else a low voltage or a generator makes a generator".

    Deviation: the paper's grids come scaled. A feature that is a constant plus a positive
        amount counts as zero at its smallest value; the voltage levels are told apart by rank:
        the lowest level is that of the generators.
    Shapes: (N, K), one-hot.
    Raises: DatasetUnavailable if the graph lacks the features or classes the rule names.
    """
    if not {NEITHER, LOAD, GENERATOR} <= set(graph.class_names):
        raise DatasetUnavailable("the hand rule knows only the classes of bus role")
    called = np.full(graph.node_count, graph.class_names.index(NEITHER))
    names = {name.lower(): column for column, name in enumerate(graph.feature_names)}
    load = next((names[name] for name in ("pd", "load_capacity_pu") if name in names), None)
    if load is None:
        raise DatasetUnavailable("the hand rule needs the load of a bus")
    called[_above_least(graph.features[:, load])] = graph.class_names.index(LOAD)
    called[_generators(graph, names, load)] = graph.class_names.index(GENERATOR)
    return np.asarray(np.eye(graph.class_count)[called]), {}


def _generators(graph: Graph, names: dict[str, int], load: int) -> np.ndarray[Any, Any]:
    if "generator_capacity_pu" in names:
        found = graph.features[:, names["generator_capacity_pu"]] > 0
        return np.asarray(found)
    if "basekv" not in names:
        raise DatasetUnavailable("the hand rule needs the voltage of a bus")
    voltage = graph.features[:, names["basekv"]]
    scaled = voltage.max() <= 1
    low = np.isclose(voltage, voltage.min()) if scaled else voltage < GENERATOR_VOLTAGE
    return np.asarray(low & ~_above_least(graph.features[:, load]))


def _above_least(column: FloatArray) -> np.ndarray[Any, Any]:
    return np.asarray(~np.isclose(column, column.min(), atol=1e-12))


METHOD = Method(
    key="hand_rule",
    title="Hand rule",
    description="a rule that an engineer would write by hand; it learns nothing",
    settings=HandRuleSettings,
    fit=fit,
    offered=False,
)
