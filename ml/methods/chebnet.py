"""ChebNet of Defferrard et al. (2016)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class ChebnetSettings(FilterOrderSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "chebnet"


METHOD = Method(
    key="chebnet",
    title="ChebNet",
    description="Chebyshev polynomials of the graph Laplacian (ChebNet)",
    settings=ChebnetSettings,
    published={
        "layers": 2,
        "width": 16,
        "filter_order": 2,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.chebnet",
    estimate=estimate_messages,
)
