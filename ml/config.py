"""Every setting of a training run, its domain and its default."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ml.errors import Fault, InvalidHyperparameter

FilterMethod = Literal["taylor", "exact"]
Pooling = Literal["gated", "mixed", "max", "average"]
Gate = Literal["branch", "channel"]
Skip = Literal["input", "filtered", "pooled", "none"]
Activation = Literal["pooled", "branch"]
DropEdge = Literal["preferential", "uniform", "none"]
EdgeScore = Literal["betweenness", "k_path", "percolation", "giant_component"]
Rounding = Literal["at_least_one", "floor", "stochastic"]
Scaling = Literal["quantile", "standard", "minmax", "none"]
ClassWeights = Literal["none", "balanced"]
StopOn = Literal["loss", "accuracy"]
MethodName = Literal[
    "lfgcn",
    "lfgcn_plus",
    "gcn",
    "gcn_skip",
    "chebnet",
    "arma",
    "gat",
    "appnp",
    "mixhop",
    "vpn",
    "lgcn",
    "spagan",
    "motifnet",
    "mlp",
    "island_mlp",
]
OperatorKind = Literal["auto", "dense", "sparse"]
Device = Literal["auto", "cpu", "cuda"]

SMALL_NETWORK = 2000
"""Below this many nodes the paper's drop rates for small networks apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Hyper-parameters of LFGCN, P-DropEdge and the optimiser; checks itself.

    Equation: Eq. (Taylor) ``alpha, sigma, gamma``; Algorithm 1 with ``drop_rate`` for p and
        ``drop_top`` for tau.
    Raises: InvalidHyperparameter naming every field of the wrong type or outside its domain.
    """

    method: MethodName = "lfgcn"
    # Filter
    alpha: float = 0.2
    sigma: float = 0.5
    gamma: float = 0.1
    filter_method: FilterMethod = "taylor"
    filter_order: int | None = None
    operator: OperatorKind = "auto"
    # Network
    layers: int = 2
    width: int = 64
    branches: int = 4
    pooling: Pooling = "gated"
    gate: Gate = "branch"
    skip: Skip = "input"
    output_skip: bool = True
    activation: Activation = "pooled"
    dropout: float = 0.5
    # LFGCN+ only: label reuse, feature propagation, ensemble that agrees
    hidden_labels: float = 0.5
    label_alpha: float = 0.95
    label_gamma: float = 1.0
    label_trust: float = 1.0
    label_bridges: float = 1.0
    feature_steps: int = 1
    members: int = 4
    agreement: float = 0.0
    temperature: float = 0.5
    # P-DropEdge
    drop_edge: DropEdge = "preferential"
    drop_rate: float | None = None
    drop_top: float | None = None
    drop_rounding: Rounding = "at_least_one"
    drop_every: int = 1
    edge_score: EdgeScore = "betweenness"
    # Optimiser
    epochs: int = 300
    patience: int | None = 100
    stop_on: StopOn = "accuracy"
    learning_rate: float = 0.01
    weight_decay: float = 5e-3
    class_weights: ClassWeights = "none"
    feature_scaling: Scaling = "quantile"
    seed: int = 0
    device: Device = "auto"

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise InvalidHyperparameter(faults)

    @property
    def taylor_order(self) -> int:
        """Terms of the Taylor series after the first: ``ceil(4 alpha)`` unless given."""
        return math.ceil(4 * self.alpha) if self.filter_order is None else self.filter_order

    def drop_rates(self, node_count: int) -> tuple[float, float]:
        """Return (p, tau): as given, else the paper's rule of thumb for this size."""
        rate, top = (0.01, 0.02) if node_count < SMALL_NETWORK else (0.05, 0.06)
        return (
            rate if self.drop_rate is None else self.drop_rate,
            top if self.drop_top is None else self.drop_top,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return asdict(self)


_INTERVALS: dict[str, tuple[float, float, str]] = {
    "alpha": (0, 1, "()"),
    "sigma": (0, 1, "[]"),
    "gamma": (0, 1, "(]"),
    "filter_order": (0, 100, "[]"),
    "layers": (1, 16, "[]"),
    "width": (1, 4096, "[]"),
    "branches": (1, 64, "[]"),
    "dropout": (0, 1, "[)"),
    "hidden_labels": (0, 1, "(]"),
    "label_alpha": (0, 1, "()"),
    "label_gamma": (0, 1, "(]"),
    "label_trust": (0, 10, "[]"),
    "label_bridges": (0, 100, "(]"),
    "feature_steps": (0, 16, "[]"),
    "members": (1, 64, "[]"),
    "agreement": (0, 100, "[]"),
    "temperature": (0.05, 1, "[]"),
    "drop_rate": (0, 1, "[]"),
    "drop_top": (0, 1, "(]"),
    "drop_every": (1, 100_000, "[]"),
    "epochs": (1, 100_000, "[]"),
    "patience": (1, 100_000, "[]"),
    "learning_rate": (0, 10, "(]"),
    "weight_decay": (0, 10, "[]"),
    "seed": (0, 2**32 - 1, "[]"),
}


def _faults(config: TrainingConfig) -> Iterator[Fault]:
    for name, hint in _field_types().items():
        value = getattr(config, name)
        if not _fits(value, hint):
            yield Fault(name, f"{value!r} is not {_described(hint)}")
        elif value is not None and name in _INTERVALS:
            yield from _outside(name, value)


@cache
def _field_types() -> dict[str, Any]:
    return get_type_hints(TrainingConfig)


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_fits(value, option) for option in get_args(hint))
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, (int, float) if hint is float else hint)


def _described(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    names = (option.__name__ for option in get_args(hint) or (hint,))
    return " or ".join(names).replace("NoneType", "None")


def _outside(name: str, value: float) -> Iterator[Fault]:
    low, high, ends = _INTERVALS[name]
    above = value > low or (ends[0] == "[" and value == low)
    below = value < high or (ends[1] == "]" and value == high)
    if not (above and below):
        yield Fault(name, f"{value} is outside {ends[0]}{low:g}, {high:g}{ends[1]}")
