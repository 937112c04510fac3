"""GMNN of Qu et al. (2019), graph Markov neural network."""

from dataclasses import dataclass
from typing import ClassVar

from ml.config.field import setting
from ml.config.settings import NetworkSettings
from ml.methods.base import Method
from ml.methods.estimate import estimate_messages


@dataclass(frozen=True, kw_only=True)
class GmnnSettings(NetworkSettings):
    """Two GCNs that are trained in turn."""

    method: ClassVar[str] = "gmnn"

    rounds: int = setting(1, "Iterations of expectation and maximisation.", "[0, 100]")
    sharpness: float = setting(10.0, "One over the temperature of the beliefs.", "(0, 1000]")


METHOD = Method(
    key="gmnn",
    title="GMNN",
    description="two graph convolutional networks trained in turn (GMNN)",
    settings=GmnnSettings,
    published={
        "layers": 2,
        "width": 16,
        "dropout": 0.5,
        "learning_rate": 0.05,
        "weight_decay": 5e-4,
        "rounds": 1,
        "sharpness": 10.0,
    },
    # The authors' program reads whether a word occurs.
    published_on={"pubmed": {"learning_rate": 0.01, "feature_scaling": "presence"}},
    classifier="ml.nn.networks.gmnn",
    estimate=estimate_messages,
    offered=False,
)
