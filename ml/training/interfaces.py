"""What the training loop needs of a network and its graph views."""

from importlib import import_module
from typing import Any, Protocol, cast, runtime_checkable

import torch
from torch import Tensor, nn

from ml.arrays import IntArray
from ml.config.settings import NetworkSettings
from ml.errors import Fault, InvalidHyperparameter
from ml.graph.graph import Graph
from ml.methods.registry import get_method


class Views(Protocol):
    """The graph in the form a network reads: whole, or without the edges of an epoch."""

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
    """A network that adds a penalty to the loss."""

    def forward_with_penalty(
        self, features: Tensor, view: Any, nodes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits at ``nodes``, and the number to add to the loss."""


class NetworkModule(Protocol):
    """A module of ``ml.nn`` that a method names as its network.

    The network is called as ``network(features, view, nodes)`` with a view of ``make_views``
    and gives logits at ``nodes`` (all if None). Parameters named ``kernel``, ``skip`` or
    ``weight`` are subject to l2. Dropped edges reach the network only through the view, so
    that P-DropEdge and DropEdge work with every network alike.
    """

    def build_network(self, config: NetworkSettings, features: int, classes: int) -> nn.Module:
        """Return the network with freshly drawn weights."""

    def make_views(self, graph: Graph, config: NetworkSettings, device: torch.device) -> Views:
        """Return the source of graph views."""


def import_network(key: str) -> NetworkModule:
    """Return the network module of a method; its libraries are imported only now.

    Raises: InvalidHyperparameter if the method has no network.
    """
    path = get_method(key).network
    if path is None:
        raise InvalidHyperparameter([Fault("method", f"{key} has no network to train")])
    return cast("NetworkModule", import_module(path))
