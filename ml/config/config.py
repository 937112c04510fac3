"""Every setting of a training run, its domain and its default."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Literal, get_type_hints

from ml.config.field import find_problem, setting, setting_of
from ml.errors import Fault, InvalidHyperparameter

FilterMethod = Literal["taylor", "exact"]
Pooling = Literal["gated", "mixed", "max", "average"]
Gate = Literal["branch", "channel"]
Skip = Literal["input", "filtered", "pooled", "none"]
Activation = Literal["pooled", "branch"]
DropEdge = Literal["preferential", "uniform", "none"]
EdgeScore = Literal["betweenness", "k_path", "percolation", "giant_component"]
Rounding = Literal["at_least_one", "floor", "stochastic"]
Scaling = Literal["quantile", "standard", "minmax", "presence", "none"]
ClassWeights = Literal["none", "balanced"]
StopOn = Literal["loss", "accuracy"]
LabelSpreading = Literal["closed_form", "clamped"]
FilteredLayers = Literal["all", "last"]
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

_LEVY = ("lfgcn", "lfgcn_plus")
_PLUS = ("lfgcn_plus",)
_ALPHA = (*_LEVY, "appnp")
_ORDER = (*_LEVY, "chebnet", "arma", "appnp", "mixhop", "vpn", "spagan", "motifnet")
_POOLED = (*_LEVY, "gat", "spagan")
_BRANCHES = (*_LEVY, "arma", "gat", "spagan")
SMALL_NETWORK = 2000
"""Below this many nodes the paper's drop rates for small networks apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Hyper-parameters of LFGCN, P-DropEdge and the optimiser; checks itself.

    Equation: Eq. (Taylor) ``alpha, sigma, gamma``; Algorithm 1 with ``drop_rate`` for p and
        ``drop_top`` for tau.
    Raises: InvalidHyperparameter naming every field of the wrong type or outside its domain.
    """

    method: MethodName = setting("lfgcn", "The network that is trained.")
    # Filter
    alpha: float = setting(0.2, "Reach of the filter: small keeps near a bus.", "(0, 1)", _ALPHA)
    sigma: float = setting(
        0.5, "Side on which degrees normalise the operator; 0.5 is symmetric.", "[0, 1]", _LEVY
    )
    gamma: float = setting(
        0.1, "Lévy exponent: small allows long jumps, 1 only steps to neighbours.", "(0, 1]", _LEVY
    )
    filter_method: FilterMethod = setting("taylor", "Series of the paper, or exact.", only=_LEVY)
    filter_order: int | None = setting(
        None,
        "Terms of the series after the first; null: ceil(4 alpha), or the method's own.",
        "[0, 100]",
        _ORDER,
    )
    operator: OperatorKind = setting("auto", "How the Lévy operator is held.", only=_LEVY)
    # Network
    layers: int = setting(2, "Graph convolutions, one behind the other.", "[1, 16]")
    width: int = setting(64, "Channels of a hidden layer.", "[1, 4096]")
    branches: int = setting(4, "Parallel sets of weights of a layer.", "[1, 64]", _BRANCHES)
    pooling: Pooling = setting(
        "gated",
        "How the branches become one; of gat and spagan only `average` does anything: the heads "
        "of the last layer, the nodes of a path.",
        only=_POOLED,
    )
    gate: Gate = setting("branch", "What a gate weighs: whole branches or channels.", only=_LEVY)
    skip: Skip = setting("input", "What is added to a layer past its filter.", only=_LEVY)
    output_skip: bool = setting(True, "Whether the last layer has such a skip too.", only=_LEVY)
    activation: Activation = setting(
        "pooled", "Whether ReLU follows pooling or each branch.", only=_LEVY
    )
    dropout: float = setting(0.5, "Share of channels dropped while training.", "[0, 1)")
    # LFGCN+: label reuse, feature propagation, ensemble that agrees
    filtered_layers: FilteredLayers = setting(
        "all",
        "Which layers filter: all, or the last alone what the others made of a bus.",
        only=_PLUS,
    )
    hidden_labels: float = setting(
        0.5, "Share of training labels hidden from the input in an epoch.", "(0, 1]", _PLUS
    )
    label_spreading: LabelSpreading = setting(
        "closed_form", "Whether spread labels add up, or stay as known (clamped).", only=_PLUS
    )
    label_alpha: float = setting(0.95, "Reach of the spread labels.", "(0, 1)", _PLUS)
    label_gamma: float = setting(1.0, "Lévy exponent of that spreading.", "(0, 1]", _PLUS)
    label_trust: float = setting(
        1.0, "Where the learned trust in spread labels starts.", "[0, 10]", _PLUS
    )
    label_bridges: float = setting(
        1.0, "Weight of branches between voltage levels when labels spread.", "(0, 100]", _PLUS
    )
    label_contrast: float = setting(
        0.0, "How much less branches weigh there whose ends differ, as in angle.", "[0, 10]", _PLUS
    )
    feature_steps: int = setting(1, "Steps that features are spread before.", "[0, 16]", _PLUS)
    members: int = setting(4, "Networks of the ensemble.", "[1, 64]", _PLUS)
    agreement: float = setting(
        0.0, "Weight of the members' agreement on unlabelled buses.", "[0, 100]", _PLUS
    )
    temperature: float = setting(
        0.5, "How clear the answer is that members agree on; 1: as it is.", "[0.05, 1]", _PLUS
    )
    # P-DropEdge
    drop_edge: DropEdge = setting("preferential", "How branches are dropped while training.")
    drop_rate: float | None = setting(
        None, "Share p of branches dropped; null: the paper's for the size.", "[0, 1]"
    )
    drop_top: float | None = setting(
        None, "Share tau of branches that may be; null: the paper's.", "(0, 1]"
    )
    drop_rounding: Rounding = setting("at_least_one", "How a count of branches is rounded.")
    drop_every: int = setting(1, "Epochs between two draws.", "[1, 100000]")
    edge_score: EdgeScore = setting("betweenness", "What preferential dropping goes by.")
    # Optimiser
    epochs: int = setting(300, "Passes over the training buses, at most.", "[1, 100000]")
    patience: int | None = setting(
        100, "Epochs without improvement before it stops; null: never.", "[1, 100000]"
    )
    stop_on: StopOn = setting("accuracy", "Which figure on validation chooses the epoch.")
    learning_rate: float = setting(0.01, "Step of the optimiser (Adam).", "(0, 10]")
    weight_decay: float = setting(5e-3, "Penalty on large weights.", "[0, 10]")
    class_weights: ClassWeights = setting("none", "Whether rare classes count more in the loss.")
    feature_scaling: Scaling = setting(
        "quantile", "How the columns are scaled; presence tells only which are not zero."
    )
    seed: int = setting(0, "Of first weights, dropout and dropped branches.", "[0, 4294967295]")
    device: Device = setting("auto", "Where to compute; cuda waits for a worker with a GPU.")

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


def list_idle_settings(config: Mapping[str, Any]) -> list[str]:
    """Name the settings that differ from their default but do nothing with this method."""
    defaults = {each.name: each.default for each in fields(TrainingConfig)}
    given = defaults | dict(config)
    return [
        each.name
        for each in fields(TrainingConfig)
        if (heeding := setting_of(each).only)
        and given["method"] not in heeding
        and given[each.name] != each.default
    ]


def _faults(config: TrainingConfig) -> Iterator[Fault]:
    hints = _field_types()
    for each in fields(TrainingConfig):
        value = getattr(config, each.name)
        problem = find_problem(value, hints[each.name], setting_of(each).interval)
        if problem is not None:
            yield Fault(each.name, problem)


@cache
def _field_types() -> dict[str, Any]:
    return get_type_hints(TrainingConfig)
