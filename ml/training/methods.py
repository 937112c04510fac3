"""What the training loop asks of a method, and where each method lives."""

from importlib import import_module
from typing import Any, Protocol, cast, runtime_checkable

import torch
from torch import Tensor, nn

from ml.arrays import IntArray
from ml.config.config import MethodName, TrainingConfig
from ml.graph.graph import Graph


class Views(Protocol):
    """The graph in the form a network reads: whole, or without the edges of this epoch."""

    def whole(self) -> Any:
        """Return the graph as it is, for validation, test and epochs without censoring."""

    def censored(self, pairs: IntArray) -> Any:
        """Return the graph without ``pairs``, (k, 2)."""


@runtime_checkable
class ExpectantViews(Protocol):
    """Views that can prepare for edges likely to be dropped."""

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of ``pairs``, (m, 2), at every epoch."""


@runtime_checkable
class PenalisedNetwork(Protocol):
    """A network that adds something of its own to the loss."""

    def forward_with_penalty(
        self, features: Tensor, view: Any, nodes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits at ``nodes``, and the number to add to the loss."""


class Method(Protocol):
    """A way to classify nodes by gradient descent.

    The network is called as ``network(features, view, nodes)`` with a view of ``make_views``
    and gives logits at ``nodes`` (all if None). Parameters named ``kernel``, ``skip`` or
    ``weight`` are subject to l2. Dropped edges reach the network only through the view, so
    that P-DropEdge and DropEdge work with every method alike. A module with these two
    functions is a method.
    """

    def build_network(self, config: TrainingConfig, features: int, classes: int) -> nn.Module:
        """Return the network with freshly drawn weights."""

    def make_views(self, graph: Graph, config: TrainingConfig, device: torch.device) -> Views:
        """Return the source of graph views."""


_HOME: dict[MethodName, str] = {
    "lfgcn": "ml.nn.lfgcn",
    "lfgcn_plus": "ml.nn.lfgcn_plus",
    "gcn": "ml.nn.networks.gcn",
    "gcn_skip": "ml.nn.networks.gcn_skip",
    "chebnet": "ml.nn.networks.chebnet",
    "arma": "ml.nn.networks.arma",
    "gat": "ml.nn.networks.gat",
    "appnp": "ml.nn.networks.appnp",
    "mixhop": "ml.nn.networks.mixhop",
    "vpn": "ml.nn.networks.vpn",
    "lgcn": "ml.nn.networks.lgcn",
    "spagan": "ml.nn.networks.spagan",
    "motifnet": "ml.nn.networks.motifnet",
    "mlp": "ml.nn.networks.mlp",
    "island_mlp": "ml.nn.networks.island_mlp",
}


def get_method(name: MethodName) -> Method:
    """Return the method of that name; its libraries are imported only now."""
    return cast("Method", import_module(_HOME[name]))
