"""Train a network on a graph: the one call that the service and the experiments make."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, pack
from ml.artifact.manifest import describe_inputs, split_parts
from ml.config.settings import NetworkSettings
from ml.errors import Fault, InvalidGraph, InvalidSplit
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.metrics import Metrics, evaluate
from ml.graph.scaling import FeatureScaling, fit_scaling
from ml.graph.split import Split
from ml.methods.registry import flatten_settings
from ml.training.checkpoint import identify_run, restore_checkpoint, save_checkpoint
from ml.training.device import choose_device, describe_machine
from ml.training.history import EpochRecord
from ml.training.setup import prepare


@dataclass(frozen=True)
class TrainingResult:
    """A finished run: what was predicted for every node, how well, and the model itself.

    Shapes: probabilities (N, K). ``metrics`` has the keys train, validation and test.
    """

    config: NetworkSettings
    history: tuple[EpochRecord, ...]
    best_epoch: int
    probabilities: FloatArray
    metrics: dict[str, Metrics]
    artifact: Artifact


def fit(  # noqa: PLR0913  # one call for the service, its options by keyword
    graph: Graph,
    split: Split,
    config: NetworkSettings,
    *,
    on_epoch: Callable[[EpochRecord], None] | None = None,
    resume_from: bytes | None = None,
    on_checkpoint: Callable[[int, bytes], None] | None = None,
    checkpoint_every: int | Callable[[EpochRecord], bool] = 25,
    edge_scores: FloatArray | None = None,
) -> TrainingResult:
    """Train on the labels of ``split.train``, stop on ``split.validation``, keep the best epoch.

    An exception raised by ``on_epoch`` ends the run and reaches the caller. ``resume_from`` is
    a checkpoint of the same run; the result is then bit for bit that of an uninterrupted one.
    ``checkpoint_every`` counts epochs, or says after an epoch whether a checkpoint is due.
    ``edge_scores`` are the caller's own for P-DropEdge, one for each of ``graph.pairs``.

    Equation: Sec. IV "Training Settings" and Algorithm 1.
    Deviation: test labels are read only after the last epoch, to measure.
    Raises: InvalidSplit, InvalidGraph, InvalidHyperparameter, DeviceUnavailable,
        TrainingDiverged, CheckpointRejected.
    """
    _check(graph, split)
    device = choose_device(config.device)
    with _own_random_state(config.seed, device):
        scaling = fit_scaling(graph.features, config.feature_scaling)
        optimisation = prepare(graph, split, config, scaling, device, edge_scores)
        run = identify_run(graph, split, config, edge_scores)
        if resume_from is not None:
            restore_checkpoint(optimisation, run, resume_from)
        while not optimisation.finished:
            record = optimisation.run_epoch()
            if on_epoch is not None:
                on_epoch(record)
            if on_checkpoint is not None and _is_due(checkpoint_every, record):
                on_checkpoint(record.epoch, save_checkpoint(optimisation, run))
        probabilities = optimisation.probabilities()
    return TrainingResult(
        config=config,
        history=tuple(optimisation.progress.history),
        best_epoch=optimisation.progress.best_epoch,
        probabilities=probabilities,
        metrics={
            name: evaluate(probabilities, graph.labels, nodes)
            for name, nodes in split_parts(split).items()
        },
        artifact=pack(
            {k: v.cpu().numpy() for k, v in optimisation.progress.best_weights.items()},
            _manifest(graph, split, config, scaling, device),
        ),
    )


def _is_due(rule: int | Callable[[EpochRecord], bool], record: EpochRecord) -> bool:
    return rule(record) if callable(rule) else record.epoch % rule == 0


def _check(graph: Graph, split: Split) -> None:
    faults = []
    if len(split.validation) == 0:
        faults.append(Fault("split", "no node to validate on"))
    for name, nodes in split_parts(split).items():
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= graph.node_count):
            faults.append(Fault(name, "names a node that does not exist"))
        elif name != "test" and (graph.labels[nodes] == UNLABELLED).any():
            faults.append(Fault(name, "has a node without a label"))
    if faults:
        raise InvalidSplit(faults)
    if graph.features.shape[1] == 0:
        raise InvalidGraph([Fault("features", "a network needs at least one feature")])


@contextmanager
def _own_random_state(seed: int, device: torch.device) -> Iterator[None]:
    devices = [torch.cuda.current_device()] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield


def _manifest(
    graph: Graph,
    split: Split,
    config: NetworkSettings,
    scaling: FeatureScaling,
    device: torch.device,
) -> dict[str, Any]:
    return {
        "config": flatten_settings(config),
        "seed": config.seed,
        "scaling": scaling.as_dict(),
        **describe_inputs(graph, split),
        **describe_machine(device),
    }
