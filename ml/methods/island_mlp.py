"""Perceptron on the features of a node and the mean over its island."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import NetworkSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class IslandMlpSettings(NetworkSettings):
    """The settings that every network has."""

    method: ClassVar[str] = "island_mlp"


METHOD = Method(
    key="island_mlp",
    title="MLP + island mean",
    description="perceptron on the features of each bus and the mean over its island",
    settings=IslandMlpSettings,
    published={
        "layers": 2,
        "width": 64,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.island_mlp",
    estimate=estimate_messages,
)
