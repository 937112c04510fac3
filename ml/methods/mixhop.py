"""MixHop of Abu-El-Haija et al. (2019)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class MixhopSettings(FilterOrderSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "mixhop"


METHOD = Method(
    key="mixhop",
    title="MixHop",
    description="powers of the adjacency matrix side by side (MixHop)",
    settings=MixhopSettings,
    published={
        "layers": 2,
        "width": 60,
        "filter_order": 2,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.mixhop",
    estimate=estimate_messages,
)
