"""APPNP of Klicpera et al. (2019)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import AlphaSettings, FilterOrderSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class AppnpSettings(FilterOrderSettings, AlphaSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "appnp"


METHOD = Method(
    key="appnp",
    title="APPNP",
    description="perceptron whose answers spread by personalised PageRank (APPNP)",
    settings=AppnpSettings,
    published={
        "layers": 2,
        "width": 64,
        "alpha": 0.9,
        "filter_order": 10,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-3,
    },
    network="ml.nn.networks.appnp",
    estimate=estimate_messages,
    automatic=True,
)
