"""SPAGAN of Yang et al. (2019)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings, PoolingSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class SpaganSettings(FilterOrderSettings, PoolingSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "spagan"


METHOD = Method(
    key="spagan",
    title="SPAGAN",
    description="attention along shortest paths (SPAGAN)",
    settings=SpaganSettings,
    published={
        "layers": 2,
        "width": 8,
        "branches": 8,
        "filter_order": 2,
        "dropout": 0.6,
        "learning_rate": 5e-3,
        "weight_decay": 5e-4,
        "pooling": "max",
    },
    published_on={"pubmed": {"learning_rate": 0.01}},
    network="ml.nn.networks.spagan",
    estimate=estimate_messages,
)
