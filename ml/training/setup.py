"""From a graph and settings to an optimisation that is ready for its first epoch."""

import numpy as np
import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.config.settings import NetworkSettings
from ml.drop_edge.dropper import make_dropper
from ml.graph.graph import Graph
from ml.graph.scaling import FeatureScaling
from ml.graph.split import Split
from ml.levy.closed_forms import label_matrix
from ml.methods.registry import get_method
from ml.nn.sparse import make_features
from ml.training.interfaces import ExpectantViews, import_network
from ml.training.loop import Optimisation, Task


def prepare(
    graph: Graph,
    split: Split,
    config: NetworkSettings,
    scaling: FeatureScaling,
    device: torch.device,
    edge_scores: FloatArray | None = None,
) -> Optimisation:
    """Scale the features, score the edges, draw the weights: everything before epoch one.

    Cost: one Lévy operator and, for P-DropEdge, the edge scores, unless they are known.
    """
    network_module = import_network(config.method)
    columns = scaling.transform(graph.features)
    if get_method(config.method).label_inputs:
        columns = np.concatenate([columns, label_matrix(graph, split.train)], axis=1)
    features = make_features(columns, config).to(device)
    task = Task(
        features=features,
        labels=torch.from_numpy(graph.labels).to(device),
        train=torch.from_numpy(split.train).to(device),
        validation=torch.from_numpy(split.validation).to(device),
        class_weights=_class_weights(graph, split, config, device),
        views=network_module.make_views(graph, config, device),
        dropper=make_dropper(graph, config, edge_scores),
    )
    if task.dropper is not None and isinstance(task.views, ExpectantViews):
        task.views.expect(task.dropper.pairs[task.dropper.candidates])
    network = network_module.build_network(config, features.shape[1], graph.class_count).to(device)
    return Optimisation(task, network, config)


def _class_weights(
    graph: Graph, split: Split, config: NetworkSettings, device: torch.device
) -> Tensor | None:
    """Return ``n / (K n_k)`` of the training labels; a class that does not occur weighs one."""
    if config.class_weights == "none":
        return None
    counts = np.bincount(graph.labels[split.train], minlength=graph.class_count)
    weights = len(split.train) / (graph.class_count * np.maximum(counts, 1))
    weights[counts == 0] = 1.0
    return torch.from_numpy(weights).float().to(device)
