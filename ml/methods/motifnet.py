"""MotifNet of Monti et al. (2018)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class MotifnetSettings(FilterOrderSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "motifnet"


METHOD = Method(
    key="motifnet",
    title="MotifNet",
    description="filters over directed motifs (MotifNet)",
    settings=MotifnetSettings,
    published={
        "layers": 2,
        "width": 16,
        "filter_order": 2,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.motifnet",
    estimate=estimate_messages,
)
