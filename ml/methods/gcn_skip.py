"""GCN with a skip connection around every convolution."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import NetworkSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class GcnSkipSettings(NetworkSettings):
    """The settings that every network has."""

    method: ClassVar[str] = "gcn_skip"


METHOD = Method(
    key="gcn_skip",
    title="GCN + skip",
    description="graph convolution with skip connections",
    settings=GcnSkipSettings,
    published={
        "layers": 2,
        "width": 16,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.gcn_skip",
    estimate=estimate_messages,
    automatic=True,
)
