"""VPN, the variable power network of Jin et al. (2019)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import FilterOrderSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class VpnSettings(FilterOrderSettings):
    """Layers and graph filter of the network."""

    method: ClassVar[str] = "vpn"


METHOD = Method(
    key="vpn",
    title="VPN",
    description="graph convolution over powered graphs (VPN)",
    settings=VpnSettings,
    published={
        "layers": 2,
        "width": 16,
        "filter_order": 2,
        "dropout": 0.5,
        "learning_rate": 0.01,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.vpn",
    estimate=estimate_messages,
)
