"""Fitting one method on the graph and split of a trained network, to compare the two."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors, pack
from ml.artifact.manifest import describe_inputs
from ml.config.settings import MethodSettings, NetworkSettings
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.base import Method
from ml.methods.direct import fit_direct
from ml.methods.registry import flatten_settings, make_config
from ml.training.device import describe_machine
from ml.training.fit import fit
from ml.training.history import EpochRecord

Settings = dict[str, Any]


@dataclass(frozen=True, eq=False)
class BaselineTask:
    """What every baseline is given: the graph, split and settings of the trained network.

    ``check_stop`` is called between steps; an exception that it raises ends the fit.
    """

    graph: Graph
    split: Split
    config: NetworkSettings
    check_stop: Callable[[], None]

    @property
    def seed(self) -> int:
        """The seed of the network, which its baselines share."""
        return self.config.seed


@dataclass(frozen=True, eq=False)
class FittedMethod:
    """A method after its fit: its probabilities for every node, and the model to store.

    Shapes: probabilities (N, K).
    """

    probabilities: FloatArray
    artifact: Artifact
    history: tuple[EpochRecord, ...] = ()
    best_epoch: int | None = None


def fit_baseline(method: Method, comparison: BaselineTask, settings: Settings) -> FittedMethod:
    """Fit a method with some of its settings given, the others at their default.

    A network takes the settings that are not given from the network it is compared with, and
    drops no edges.
    """
    if method.is_network:
        whole = flatten_settings(comparison.config)
        config = make_config(**{**whole, "method": method.key, "drop_edge": "none", **settings})
        result = fit(
            comparison.graph,
            comparison.split,
            config,
            on_epoch=lambda _record: comparison.check_stop(),
        )
        return FittedMethod(
            result.probabilities, result.artifact, result.history, result.best_epoch
        )
    chosen = method.settings(seed=comparison.seed, **settings)
    probabilities, tensors = fit_direct(method, comparison.graph, comparison.split, chosen)
    artifact = pack_direct(tensors, comparison.graph, comparison.split, chosen)
    return FittedMethod(probabilities, artifact)


def pack_direct(tensors: Tensors, graph: Graph, split: Split, settings: MethodSettings) -> Artifact:
    """Store the arrays of a method without a network."""
    manifest = {
        "config": settings.as_dict(),
        "seed": settings.seed,
        **describe_inputs(graph, split),
        **describe_machine(torch.device("cpu")),
    }
    return pack(tensors, manifest)
