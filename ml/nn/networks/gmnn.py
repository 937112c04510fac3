"""GMNN of Qu et al. (2019), graph Markov neural network, written from its paper."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import FloatArray
from ml.drop_edge.dropper import EdgeDropper, make_dropper
from ml.graph.graph import Graph
from ml.graph.scaling import fit_scaling
from ml.graph.split import Split
from ml.methods.gmnn import GmnnSettings
from ml.nn.networks.gcn import GcnNetwork
from ml.nn.optimiser import make_adam
from ml.nn.parts.edge_views import PreparedViews, RowView, normalised_views
from ml.nn.sparse import make_features


@dataclass(frozen=True)
class Material:
    """The data that both networks are trained on: tensors, views and droppable edges."""

    features: Tensor
    labels: Tensor
    train: Tensor
    validation: Tensor
    views: PreparedViews[RowView]
    dropper: EdgeDropper | None
    generator: np.random.Generator


def classify(graph: Graph, split: Split, config: GmnnSettings) -> FloatArray:
    """Train the two networks in turn and return the probabilities of the first.

    Equation: Qu et al. (2019), Algorithm 1: q is a GCN on features, p a GCN on the labels
        that q predicts; the M-step fits p to q, the E-step fits q to p and to the known
        labels. ``rounds`` counts EM iterations, ``sharpness`` is one over the temperature.
    Deviation: q's predictions enter as sharpened probabilities instead of samples; Adam instead
        of RMSprop; each step keeps its best epoch on the validation nodes, and of the states
        of q the best on validation is returned.
    Shapes: (N, K), rows sum to one.
    """
    with _random_state(config.seed):
        material = _material(graph, split, config)
        q = GcnNetwork(config, graph.features.shape[1], graph.class_count)
        p = GcnNetwork(config, graph.class_count, graph.class_count)
        known = functional.one_hot(material.labels[material.train], graph.class_count).float()
        best = _fit(q, material.features, known, material.train, material, config)
        beliefs = result = _beliefs(q, material.features, material)
        everything = torch.arange(graph.node_count)
        for _ in range(config.rounds):
            shown = _clamped(beliefs, known, material.train, config.sharpness)
            _fit(p, shown, shown, everything, material, config)
            advice = _clamped(_beliefs(p, shown, material), known, material.train, 1.0)
            merit = _fit(q, material.features, advice, everything, material, config)
            beliefs = _beliefs(q, material.features, material)
            if merit >= best:
                best, result = merit, beliefs
    return np.asarray(result.double().numpy())


@contextmanager
def _random_state(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def _material(graph: Graph, split: Split, config: GmnnSettings) -> Material:
    scaled = fit_scaling(graph.features, config.feature_scaling).transform(graph.features)
    return Material(
        features=make_features(scaled, config),
        labels=torch.from_numpy(graph.labels),
        train=torch.from_numpy(split.train),
        validation=torch.from_numpy(split.validation),
        views=normalised_views(graph, config, torch.device("cpu")),
        dropper=make_dropper(graph, config),
        generator=np.random.default_rng([config.seed, 1]),
    )


def _clamped(beliefs: Tensor, known: Tensor, train: Tensor, sharpness: float) -> Tensor:
    """Sharpen probabilities and insert the known labels."""
    logits = sharpness * beliefs.clamp_min(1e-12).log()
    sharpened = functional.softmax(logits, dim=1)
    sharpened[train] = known
    return sharpened


def _beliefs(network: nn.Module, inputs: Tensor, material: Material) -> Tensor:
    network.eval()
    with torch.no_grad():
        return functional.softmax(network(inputs, material.views.whole(), None), dim=1)


def _fit(
    network: nn.Module,
    inputs: Tensor,
    targets: Tensor,
    nodes: Tensor,
    material: Material,
    config: GmnnSettings,
) -> tuple[float, float]:
    """Fit soft targets, keep the best epoch on validation and return its merit."""
    adam = make_adam(network, config)
    best, best_epoch = (-1.0, -np.inf), 0
    weights = copy.deepcopy(network.state_dict())
    for epoch in range(1, config.epochs + 1):
        network.train()
        adam.zero_grad()
        logits = network(inputs, _training_view(material), nodes)
        functional.cross_entropy(logits, targets).backward()  # type: ignore[no-untyped-call]
        adam.step()
        merit = _validate(network, inputs, material)
        if merit > best:
            best, best_epoch = merit, epoch
            weights = copy.deepcopy(network.state_dict())
        if config.patience is not None and epoch - best_epoch >= config.patience:
            break
    network.load_state_dict(weights)
    return best


def _training_view(material: Material) -> RowView:
    if material.dropper is None:
        return material.views.whole()
    dropped = material.dropper.draw(material.generator)
    return material.views.censored(material.dropper.pairs[dropped])


def _validate(network: nn.Module, inputs: Tensor, material: Material) -> tuple[float, float]:
    network.eval()
    with torch.no_grad():
        logits = network(inputs, material.views.whole(), material.validation)
        truth = material.labels[material.validation]
        loss = float(functional.cross_entropy(logits, truth))
        accuracy = float((logits.argmax(1) == truth).float().mean())
    return accuracy, -loss
