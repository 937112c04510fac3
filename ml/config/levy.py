"""Settings of LFGCN and LFGCN+."""

import math
from dataclasses import dataclass
from typing import ClassVar

from ml.config.field import setting
from ml.config.settings import (
    Activation,
    AlphaSettings,
    FilteredLayers,
    FilterMethod,
    FilterOrderSettings,
    Gate,
    LabelSpreading,
    OperatorKind,
    PoolingSettings,
    Skip,
)


@dataclass(frozen=True, kw_only=True)
class LfgcnSettings(PoolingSettings, FilterOrderSettings, AlphaSettings):
    """Lévy filter and layers of LFGCN.

    Equation: Eq. (Taylor) ``alpha, sigma, gamma``.
    """

    method: ClassVar[str] = "lfgcn"

    sigma: float = setting(
        0.5, "Side on which degrees normalise the operator; 0.5: symmetric.", "[0, 1]"
    )
    gamma: float = setting(
        0.1, "Lévy exponent: small values allow long jumps, 1 only steps to neighbours.", "(0, 1]"
    )
    filter_method: FilterMethod = setting(
        "taylor", "The paper's truncated series, or the exact filter."
    )
    operator: OperatorKind = setting("auto", "How the Lévy operator is stored.")
    gate: Gate = setting("branch", "What the pooling gate weighs: whole paths or single channels.")
    skip: Skip = setting("input", "Signal that the residual connection of a layer adds.")
    output_skip: bool = setting(True, "Whether the last layer has a residual connection as well.")
    activation: Activation = setting("pooled", "Whether ReLU follows pooling or each path.")

    @property
    def taylor_order(self) -> int:
        """Terms of the Taylor series after the first: ``ceil(4 alpha)`` unless given."""
        return math.ceil(4 * self.alpha) if self.filter_order is None else self.filter_order

    @property
    def filters_only_last(self) -> bool:
        """Whether only the last layer filters over the graph."""
        return False


@dataclass(frozen=True, kw_only=True)
class LfgcnPlusSettings(LfgcnSettings):
    """What LFGCN+ adds to LFGCN."""

    method: ClassVar[str] = "lfgcn_plus"

    filtered_layers: FilteredLayers = setting(
        "all", "Whether every layer filters over the graph, or only the last."
    )
    hidden_labels: float = setting(
        0.5, "Fraction of the training labels hidden from the input in each epoch.", "(0, 1]"
    )
    label_spreading: LabelSpreading = setting(
        "closed_form",
        "How known labels spread over the grid: by a closed form, or clamped at their values.",
    )
    label_alpha: float = setting(0.95, "Reach of the spread labels.", "(0, 1)")
    label_gamma: float = setting(1.0, "Lévy exponent of the label spreading.", "(0, 1]")
    label_trust: float = setting(
        1.0, "Initial value of the learned trust in the spread labels.", "[0, 10]"
    )
    label_bridges: float = setting(
        1.0, "Weight of branches between voltage levels in the label spreading.", "(0, 100]"
    )
    label_contrast: float = setting(
        0.0,
        "Down-weights branches whose end buses differ (for example in voltage angle) in the label "
        "spreading; 0: no effect.",
        "[0, 10]",
    )
    feature_steps: int = setting(
        1, "Propagation steps applied to the features before the network.", "[0, 16]"
    )
    members: int = setting(4, "Number of networks in the ensemble.", "[1, 64]")
    agreement: float = setting(
        0.0,
        "Weight of the loss that makes ensemble members agree on unlabelled buses.",
        "[0, 100]",
    )
    temperature: float = setting(
        0.5,
        "Sharpness of the common answer that members are trained towards; 1: not sharpened.",
        "[0.05, 1]",
    )

    @property
    def filters_only_last(self) -> bool:
        """Whether only the last layer filters over the graph."""
        return self.filtered_layers == "last"
