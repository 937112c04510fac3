"""ARMA of Bianchi et al. (2019)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings, ParallelPathSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class ArmaSettings(FilterOrderSettings, ParallelPathSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "arma"


METHOD = Method(
    key="arma",
    title="ARMA",
    description="auto-regressive moving-average graph filters (ARMA)",
    settings=ArmaSettings,
    published={
        "layers": 2,
        "width": 16,
        "branches": 2,
        "filter_order": 1,
        "dropout": 0.75,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.arma",
    estimate=estimate_messages,
)
