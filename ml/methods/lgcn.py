"""LGCN of Gao et al. (2018)."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.settings import NetworkSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class LgcnSettings(NetworkSettings):
    """The settings that every network has."""

    method: ClassVar[str] = "lgcn"


METHOD = Method(
    key="lgcn",
    title="LGCN",
    description="convolution over the largest values among the neighbours (LGCN)",
    settings=LgcnSettings,
    published={
        "layers": 4,
        "width": 32,
        "dropout": 0.84,
        "learning_rate": 0.1,
        "weight_decay": 5e-4,
    },
    network="ml.nn.networks.lgcn",
    estimate=estimate_messages,
)
