"""Settings that methods share: a base that validates itself, and groups to inherit from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from ml.config.field import list_faults, list_stored_names, setting
from ml.errors import InvalidHyperparameter

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
OperatorKind = Literal["auto", "dense", "sparse"]
Device = Literal["auto", "cpu", "cuda"]

SMALL_NETWORK = 2000
"""Below this many nodes the paper's drop rates for small networks apply."""
_DEFAULT_PATHS = 4


@dataclass(frozen=True, kw_only=True)
class MethodSettings:
    """The settings of one method; each method derives its own class.

    Raises: InvalidHyperparameter naming every field of the wrong type or outside its range.
    """

    method: ClassVar[str]

    seed: int = setting(
        0, "Seed of everything random: initial weights, dropout, dropped edges.", "[0, 4294967295]"
    )

    def __post_init__(self) -> None:
        faults = list_faults(type(self), vars(self))
        if faults:
            raise InvalidHyperparameter(faults)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values, under the names that models are stored with."""
        names = list_stored_names(type(self))
        return {"method": self.method, **{old: getattr(self, new) for old, new in names.items()}}

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Self:
        """Read the settings of this class from a stored mapping that may hold others as well."""
        names = list_stored_names(cls)
        return cls(**{new: values[old] for old, new in names.items() if old in values})


@dataclass(frozen=True, kw_only=True)
class OptimiserSettings(MethodSettings):
    """Settings of training by gradient descent.

    Equation: Sec. IV "Training Settings".
    """

    epochs: int = setting(300, "Maximum number of training epochs.", "[1, 100000]")
    patience: int | None = setting(
        100,
        "Epochs without improvement on the validation buses before training stops; null: never.",
        "[1, 100000]",
    )
    stop_on: StopOn = setting("accuracy", "Validation figure that selects the best epoch.")
    learning_rate: float = setting(0.01, "Learning rate of Adam.", "(0, 10]")
    weight_decay: float = setting(5e-3, "L2 penalty on the weight matrices.", "[0, 10]")
    class_weights: ClassWeights = setting(
        "none", "`balanced` gives rare classes a larger weight in the loss."
    )
    feature_scaling: Scaling = setting(
        "quantile",
        "Scaling of the feature columns; `presence` only keeps whether a value is non-zero.",
    )
    device: Device = setting(
        "auto", "Device to train on; `cuda` queues the job for a worker with a GPU."
    )


@dataclass(frozen=True, kw_only=True)
class DropEdgeSettings(MethodSettings):
    """Settings of P-DropEdge and DropEdge.

    Equation: Algorithm 1 with ``drop_rate`` for p and ``drop_top`` for tau.
    """

    drop_edge: DropEdge = setting(
        "preferential",
        "Branches dropped during training: `preferential` draws among high scores (P-DropEdge), "
        "`uniform` among all branches (DropEdge).",
    )
    drop_rate: float | None = setting(
        None,
        "Fraction p of the eligible branches that an epoch drops; null: the paper's value for "
        "the size of the grid.",
        "[0, 1]",
    )
    drop_top: float | None = setting(
        None,
        "Fraction tau of the highest-scoring branches eligible for dropping; null: the paper's "
        "value for the size of the grid.",
        "(0, 1]",
    )
    drop_rounding: Rounding = setting("at_least_one", "Rounding of the number of dropped branches.")
    drop_every: int = setting(1, "Epochs between two draws of dropped branches.", "[1, 100000]")
    edge_score: EdgeScore = setting("betweenness", "Score that ranks branches for P-DropEdge.")

    def drop_rates(self, node_count: int) -> tuple[float, float]:
        """Return (p, tau): as given, else the paper's rule of thumb for this size."""
        rate, top = (0.01, 0.02) if node_count < SMALL_NETWORK else (0.05, 0.06)
        return (
            rate if self.drop_rate is None else self.drop_rate,
            top if self.drop_top is None else self.drop_top,
        )


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(OptimiserSettings, DropEdgeSettings):
    """Settings that every trained network has.

    ``ignored`` are settings of other networks that a request gave as well, as (stored name,
    value): they have no effect and stay with the stored model.
    """

    layers: int = setting(2, "Number of layers.", "[1, 16]")
    width: int = setting(64, "Channels per hidden layer.", "[1, 4096]")
    dropout: float = setting(0.5, "Fraction of channels dropped during training.", "[0, 1)")
    ignored: tuple[tuple[str, Any], ...] = ()

    @property
    def path_count(self) -> int:
        """Parallel paths of a layer; networks without any count as the default of LFGCN."""
        return _DEFAULT_PATHS

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values, followed by the ignored ones."""
        return {**super().as_dict(), **dict(self.ignored)}


@dataclass(frozen=True, kw_only=True)
class FilterOrderSettings(NetworkSettings):
    """A network that looks a given number of steps far."""

    filter_order: int | None = setting(
        None,
        "Order of the graph filter (powers, steps or hops); null: the published value, and "
        "ceil(4 alpha) for LFGCN.",
        "[0, 100]",
    )


@dataclass(frozen=True, kw_only=True)
class ParallelPathSettings(NetworkSettings):
    """A network whose layers have parallel weight sets."""

    parallel_paths: int = setting(
        _DEFAULT_PATHS,
        "Parallel weight sets per layer (attention heads of GAT).",
        "[1, 64]",
        stored_as="branches",
    )

    @property
    def path_count(self) -> int:
        """Parallel paths of a layer."""
        return self.parallel_paths


@dataclass(frozen=True, kw_only=True)
class PoolingSettings(ParallelPathSettings):
    """A network that pools its parallel paths."""

    pooling: Pooling = setting(
        "gated",
        "Pooling of the parallel paths. GAT and SPAGAN only know `average`: of the heads of the "
        "last layer, of the nodes of a path.",
    )


@dataclass(frozen=True, kw_only=True)
class AlphaSettings(NetworkSettings):
    """A network whose filter has a reach."""

    alpha: float = setting(
        0.2, "Reach of the graph filter: small values stay close to a bus.", "(0, 1)"
    )
