"""GAT of Veličković et al. (2018)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import PoolingSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class GatSettings(PoolingSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "gat"


METHOD = Method(
    key="gat",
    title="GAT",
    description="graph attention (GAT)",
    settings=GatSettings,
    published={
        "layers": 2,
        "width": 8,
        "branches": 8,
        "dropout": 0.6,
        "learning_rate": 5e-3,
        "weight_decay": 5e-4,
    },
    published_on={"pubmed": {"learning_rate": 0.01, "weight_decay": 1e-3, "pooling": "average"}},
    network="ml.nn.networks.gat",
    estimate=estimate_messages,
)
