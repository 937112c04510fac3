"""The class frequencies of the training nodes: what any method has to beat."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.schema import ArraySpecs, ModelSizes, list_share_faults
from ml.config.settings import MethodSettings
from ml.errors import Fault
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.base import Method


@dataclass(frozen=True, kw_only=True)
class MajoritySettings(MethodSettings):
    """The method has no settings."""

    method: ClassVar[str] = "majority"


def fit(graph: Graph, split: Split, _settings: MajoritySettings) -> tuple[FloatArray, Tensors]:
    """Give every node the class frequencies of the training nodes.

    Shapes: (N, K), rows sum to one; ``frequencies`` (K,).
    """
    counts = np.bincount(graph.labels[split.train], minlength=graph.class_count)
    frequencies = counts / counts.sum()
    return np.tile(frequencies, (graph.node_count, 1)), {"frequencies": frequencies}


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Repeat the stored frequencies for every node, (N, K)."""
    return np.tile(artifact.tensors()["frequencies"], (graph.node_count, 1))


def list_arrays(_settings: MajoritySettings, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    return {"frequencies": ("float64", (sizes.classes,))}


def list_array_faults(
    _settings: MajoritySettings, tensors: Tensors, _sizes: ModelSizes
) -> Iterator[Fault]:
    """Yield what is wrong with the stored values."""
    return list_share_faults(tensors, "frequencies")


METHOD = Method(
    key="majority",
    title="Majority class",
    description="the class frequencies of the training buses, the same for every bus",
    settings=MajoritySettings,
    fit=fit,
    predict=predict,
    list_arrays=list_arrays,
    list_array_faults=list_array_faults,
    baseline_choices=lambda _graph, _config: [{}],
    automatic=True,
)
