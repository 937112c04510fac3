"""Train a network for a fixed number of epochs, without labels set aside for stopping."""

import copy
from typing import Any

import numpy as np
import torch

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Artifact, pack
from ml.artifact.manifest import describe_inputs
from ml.config.settings import NetworkSettings
from ml.errors import TrainingDiverged
from ml.graph.graph import Graph
from ml.graph.scaling import fit_scaling
from ml.graph.split import Split
from ml.methods.registry import flatten_settings, make_config
from ml.training.device import describe_machine
from ml.training.setup import prepare

_NONE = np.zeros(0, dtype=np.int64)


def train_epochs(
    graph: Graph, train: IntArray, config: NetworkSettings, stops: tuple[int, ...]
) -> tuple[FloatArray, Artifact]:
    """Train on some nodes and return the answer after each of several numbers of epochs.

    The number of epochs is a setting like any other: it is chosen by out-of-fold scores, so no
    label is spent on stopping early, and the refit trains exactly as long.

    Shapes: train (t,), ascending stops (S,) -> (S, N, K) and the network after the last stop.
    Raises: TrainingDiverged if the loss stops being finite.
    """
    device = torch.device("cpu")
    split = Split(train, _NONE, _NONE)
    answers = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        scaling = fit_scaling(graph.features, config.feature_scaling)
        optimisation = prepare(graph, split, config, scaling, device)
        for epoch in range(1, stops[-1] + 1):
            loss, _ = optimisation.train_once()
            if not np.isfinite(loss):
                raise TrainingDiverged(epoch, loss)
            if epoch in stops:
                state = copy.deepcopy(optimisation.network.state_dict())
                optimisation.progress.best_weights = state
                answers.append(optimisation.probabilities())
    manifest: dict[str, Any] = {
        "config": flatten_settings(config),
        "seed": config.seed,
        "scaling": scaling.as_dict(),
        **describe_inputs(graph, split),
        **describe_machine(device),
    }
    weights = {name: value.cpu().numpy() for name, value in state.items()}
    return np.stack(answers), pack(weights, manifest)


def configure(settings: dict[str, Any], seed: int) -> NetworkSettings:
    """Return the configuration of a network candidate; edges are not dropped."""
    given = {name: value for name, value in settings.items() if name != "stops"}
    return make_config(drop_edge="none", seed=seed, epochs=settings["stops"][-1], **given)
