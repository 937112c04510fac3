"""The seven simple rivals that every trained network is measured against."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors, pack
from ml.artifact.manifest import describe_inputs
from ml.config.config import TrainingConfig
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods import closed_form, forest, label_propagation, majority, one_rule
from ml.training.history import EpochRecord

Settings = dict[str, Any]
Pulse = Callable[[], None]

MOST_FRACTIONAL_NODES = 2000
"""Above this the fractional closed forms take longer than a comparison should."""
_ALPHAS = (0.5, 0.9, 0.99)
_GAMMAS = (0.1, 0.5)
_LEAVES = (1, 2, 4)
_TOLD = ("layers", "width", "dropout", "learning_rate", "weight_decay", "epochs")


@dataclass(frozen=True, eq=False)
class Trial:
    """What every rival is given: the graph, split and settings of the network itself.

    ``pulse`` is called between steps; what it raises ends the trial.
    """

    graph: Graph
    split: Split
    config: TrainingConfig
    pulse: Pulse

    @property
    def seed(self) -> int:
        """The seed of the network, which its rivals share."""
        return self.config.seed


@dataclass(frozen=True, eq=False)
class FittedRival:
    """A method after its fit: what it says of every node, and the arrays that say it again.

    Shapes: probabilities (N, K).
    """

    probabilities: FloatArray
    artifact: Artifact
    history: tuple[EpochRecord, ...] = ()
    best_epoch: int | None = None


@dataclass(frozen=True)
class Rival:
    """A method, the settings to choose from on validation, and how to fit one of them.

    ``describe`` says in words what the chosen settings amount to, if that can be said.
    """

    key: str
    title: str
    list_settings: Callable[[Trial], list[Settings]]
    fit: Callable[[Trial, Settings], FittedRival]
    describe: Callable[[Trial, Settings], str] | None = None


def _only(_trial: Trial) -> list[Settings]:
    return [{}]


def _fit_by(key: str, module: Any) -> Callable[[Trial, Settings], FittedRival]:
    def fit(trial: Trial, settings: Settings) -> FittedRival:
        found = module.fit(trial.graph, trial.split, settings, trial.seed)
        return _seal(key, trial, settings, *found)

    return fit


def _fit_scores(key: str, module: Any) -> Callable[[Trial, Settings], FittedRival]:
    """Fit a method that spreads labels: its answer is all that can be stored of it."""

    def fit(trial: Trial, settings: Settings) -> FittedRival:
        scores = module.classify(trial.graph, trial.split, settings, trial.seed)
        return _seal(key, trial, settings, scores, {"scores": scores})

    return fit


def _seal(
    key: str, trial: Trial, settings: Settings, probabilities: FloatArray, tensors: Tensors
) -> FittedRival:
    import torch

    from ml.training.device import describe_machine

    manifest = {
        "config": {"method": key, "seed": trial.seed, **settings},
        "seed": trial.seed,
        **describe_inputs(trial.graph, trial.split),
        **describe_machine(torch.device("cpu")),
    }
    return FittedRival(probabilities, pack(tensors, manifest))


def _list_forms(trial: Trial) -> list[Settings]:
    ordinary = [{"name": name, "alpha": alpha} for name in ("SL", "NL", "PR") for alpha in _ALPHAS]
    fractional = [
        {"name": f"F{form['name']}", "alpha": form["alpha"], "gamma": gamma}
        for form in ordinary
        for gamma in _GAMMAS
    ]
    small = trial.graph.node_count <= MOST_FRACTIONAL_NODES
    return [{"gamma": 1.0, **form} for form in [*ordinary, *(fractional if small else [])]]


def _list_forests(_trial: Trial) -> list[Settings]:
    return [{**forest.PUBLISHED, "leaf": leaf} for leaf in _LEAVES]


def _describe_rule(trial: Trial, settings: Settings) -> str:
    return one_rule.describe_rule(trial.graph, trial.split, settings, trial.seed)


def _network(method: Literal["mlp", "gcn"], title: str) -> Rival:
    def list_settings(trial: Trial) -> list[Settings]:
        from ml.training.methods import get_method

        own = {name: getattr(trial.config, name) for name in _TOLD}
        published: Settings = getattr(get_method(method), "PUBLISHED")  # noqa: B009 - a module
        return [own, own | published | {"epochs": TrainingConfig().epochs}]

    def train(trial: Trial, settings: Settings) -> FittedRival:
        from ml.training.fit import fit

        whole = trial.config.as_dict() | {"method": method, "drop_edge": "none"} | settings
        config = TrainingConfig(**whole)
        result = fit(trial.graph, trial.split, config, on_epoch=lambda _: trial.pulse())
        return FittedRival(result.probabilities, result.artifact, result.history, result.best_epoch)

    return Rival(method, title, list_settings, train)


RIVALS: tuple[Rival, ...] = (
    Rival("majority", "Majority class", _only, _fit_by("majority", majority)),
    Rival(
        "one_rule",
        "One rule",
        lambda trial: one_rule.list_rules(trial.graph),
        _fit_by("one_rule", one_rule),
        _describe_rule,
    ),
    Rival(
        "label_propagation",
        "Label propagation",
        lambda _trial: [{"normalised": True}, {"normalised": False}],
        _fit_scores("label_propagation", label_propagation),
    ),
    Rival("closed_form", "Best closed form", _list_forms, _fit_scores("closed_form", closed_form)),
    Rival("forest", "Random forest", _list_forests, _fit_by("forest", forest)),
    _network("mlp", "MLP"),
    _network("gcn", "GCN"),
)
"""From cheap to dear, so that a small time limit leaves out the dearest."""


def get_rival(key: str) -> Rival:
    """Return the rival of that key."""
    return next(rival for rival in RIVALS if rival.key == key)
