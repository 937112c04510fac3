"""The seven simple rivals that every trained network is measured against."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ml.arrays import FloatArray
from ml.baselines import closed_form, forest, label_propagation, majority, one_rule
from ml.config import TrainingConfig
from ml.graph import Graph
from ml.split import Split

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


@dataclass(frozen=True)
class Rival:
    """A method, the settings to choose from on validation, and how to run one of them.

    ``describe`` says in words what the chosen settings amount to, if that can be said.
    """

    key: str
    title: str
    list_settings: Callable[[Trial], list[Settings]]
    classify: Callable[[Trial, Settings], FloatArray]
    describe: Callable[[Trial, Settings], str] | None = None


def _only(_trial: Trial) -> list[Settings]:
    return [{}]


def _classify_by(module: Any) -> Callable[[Trial, Settings], FloatArray]:
    def classify(trial: Trial, settings: Settings) -> FloatArray:
        found: FloatArray = module.classify(trial.graph, trial.split, settings, trial.seed)
        return found

    return classify


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
        from ml.methods import get_method

        own = {name: getattr(trial.config, name) for name in _TOLD}
        published: Settings = getattr(get_method(method), "PUBLISHED")  # noqa: B009 - a module
        return [own, own | published | {"epochs": TrainingConfig().epochs}]

    def classify(trial: Trial, settings: Settings) -> FloatArray:
        from ml.training import fit

        whole = trial.config.as_dict() | {"method": method, "drop_edge": "none"} | settings
        config = TrainingConfig(**whole)
        return fit(trial.graph, trial.split, config, on_epoch=lambda _: trial.pulse()).probabilities

    return Rival(method, title, list_settings, classify)


RIVALS: tuple[Rival, ...] = (
    Rival("majority", "Majority class", _only, _classify_by(majority)),
    Rival(
        "one_rule",
        "One rule",
        lambda trial: one_rule.list_rules(trial.graph),
        _classify_by(one_rule),
        _describe_rule,
    ),
    Rival("label_propagation", "Label propagation", _only, _classify_by(label_propagation)),
    Rival("closed_form", "Best closed form", _list_forms, _classify_by(closed_form)),
    Rival("forest", "Random forest", _list_forests, _classify_by(forest)),
    _network("mlp", "MLP"),
    _network("gcn", "GCN"),
)
"""From cheap to dear, so that a small time limit leaves out the dearest."""
