"""GCN and APPNP as in the examples of PyTorch Geometric, to which LFGCN is compared."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import APPNP, GCNConv

from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.graph.scaling import fit_scaling
from ml.graph.split import Split
from ml.methods.registry import get_method


class LibraryNetwork(nn.Module):
    """Common part of both networks: scaled features, weighted edges, dropout, settings of Adam."""

    def __init__(self, graph: Graph, config: NetworkSettings) -> None:
        super().__init__()
        scaling = fit_scaling(graph.features, config.feature_scaling)
        entries = graph.adjacency.tocoo()
        self.features = torch.from_numpy(scaling.transform(graph.features)).float()
        self.edges = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
        self.weights = torch.from_numpy(entries.data).float()
        self.config = config

    @abstractmethod
    def forward(self) -> Tensor:
        """Return the logits of all nodes."""

    def drop(self, signal: Tensor) -> Tensor:
        """Return the signal after dropout."""
        return functional.dropout(signal, self.config.dropout, training=self.training)


class CachedGcn(LibraryNetwork):
    """Two convolutions with cached normalisation."""

    def __init__(self, graph: Graph, config: NetworkSettings) -> None:
        super().__init__(graph, config)
        self.first = GCNConv(graph.features.shape[1], config.width, cached=True)
        self.second = GCNConv(config.width, graph.class_count, cached=True)

    def forward(self) -> Tensor:
        """Return the logits of all nodes."""
        signal = self.first(self.drop(self.features), self.edges, self.weights)
        signal = self.drop(functional.relu(signal))
        logits: Tensor = self.second(signal, self.edges, self.weights)
        return logits


class CachedAppnp(LibraryNetwork):
    """Two linear layers and the published propagation steps, with cached normalisation."""

    def __init__(self, graph: Graph, config: NetworkSettings) -> None:
        super().__init__(graph, config)
        self.first = nn.Linear(graph.features.shape[1], config.width)
        self.second = nn.Linear(config.width, graph.class_count)
        published = get_method("appnp").published
        teleport = 1 - published["alpha"]
        self.propagation = APPNP(K=published["filter_order"], alpha=teleport, cached=True)

    def forward(self) -> Tensor:
        """Return the logits of all nodes."""
        signal = self.drop(functional.relu(self.first(self.drop(self.features))))
        logits: Tensor = self.propagation(self.second(signal), self.edges, self.weights)
        return logits


PEERS: dict[str, Callable[[Graph, NetworkSettings], LibraryNetwork]] = {
    "GCN": CachedGcn,
    "APPNP": CachedAppnp,
}


def library_step(network: LibraryNetwork, graph: Graph, split: Split) -> Callable[[], object]:
    """Return a function that runs one epoch: forward pass, backward pass, Adam step."""
    network.train()
    adam = torch.optim.Adam(
        network.parameters(),
        lr=network.config.learning_rate,
        weight_decay=network.config.weight_decay,
        fused=True,
    )
    train = torch.from_numpy(split.train)
    labels = torch.from_numpy(graph.labels)[train]

    def step() -> float:
        adam.zero_grad()
        loss = functional.cross_entropy(network()[train], labels)
        loss.backward()  # type: ignore[no-untyped-call]  # torch
        adam.step()
        return float(loss.detach())

    return step
