"""Hyper-parameter search on the validation nodes; the test nodes never reach it."""

import dataclasses
import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from ml.config.settings import NetworkSettings
from ml.errors import Fault, InvalidHyperparameter, TrainingDiverged
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.split import Split
from ml.methods.registry import (
    change_settings,
    describe_unknown,
    flatten_settings,
    is_setting,
)
from ml.training.fit import fit

LOSS_WEIGHT = 1e-3
"""The loss decides between equal accuracies only: it stays below one node in a thousand."""


@dataclass(frozen=True, slots=True)
class Range:
    """All real numbers between two bounds, evenly or by order of magnitude."""

    low: float
    high: float
    logarithmic: bool = False

    def suggest(self, trial: optuna.Trial, name: str) -> float:
        """Ask the sampler for a value."""
        return trial.suggest_float(name, self.low, self.high, log=self.logarithmic)


@dataclass(frozen=True, slots=True)
class Options:
    """A few named values."""

    options: tuple[Any, ...]

    def suggest(self, trial: optuna.Trial, name: str) -> Any:
        """Ask the sampler for a value."""
        return trial.suggest_categorical(name, self.options)


Space = Mapping[str, Range | Options]

DEFAULT_SPACE: Space = {
    "alpha": Range(0.05, 0.9),
    "sigma": Options((0.0, 0.5, 1.0)),
    "gamma": Range(1e-3, 1.0, logarithmic=True),
    "learning_rate": Range(1e-3, 1e-1, logarithmic=True),
    "width": Options((16, 32, 64, 128)),
    "dropout": Options((0.0, 0.2, 0.4, 0.6)),
    "weight_decay": Range(1e-5, 1e-2, logarithmic=True),
}


@dataclass(frozen=True)
class Attempt:
    """One configuration that was tried; ``score`` is None if its training diverged."""

    settings: dict[str, Any]
    score: float | None
    validation_accuracy: float | None
    validation_loss: float | None


@dataclass(frozen=True)
class SearchResult:
    """The best configuration found, and everything that was tried."""

    config: NetworkSettings
    validation_accuracy: float
    validation_loss: float
    attempts: tuple[Attempt, ...]


def search_settings(  # noqa: PLR0913  # options by keyword
    graph: Graph,
    split: Split,
    base: NetworkSettings,
    *,
    trials: int,
    space: Space = DEFAULT_SPACE,
    seeds: Sequence[int] = (0,),
    storage: str | None = None,
    on_attempt: Callable[[int, Attempt], None] | None = None,
) -> SearchResult:
    """Find the settings with the highest validation accuracy, averaged over ``seeds``.

    ``storage`` is an Optuna storage such as ``sqlite:///search.db``: a search that was
    interrupted goes on where it stopped, and ``trials`` counts all attempts together.

    Equation: Sec. IV, "standard grid search"; Sec. V-5 for the ranges of alpha, sigma, gamma.
    Deviation: Optuna's tree-structured Parzen estimator instead of a grid. All labels but
        those of training and validation are erased before the first attempt.
    Raises: InvalidHyperparameter if the space names no setting, or every attempt diverged.
    """
    _check(space, trials)
    graph, split = hide_test(graph, split)
    with _quiet_optuna():
        study = optuna.create_study(
            storage=storage,
            study_name=_study_name(graph, split, base, space, seeds),
            sampler=optuna.samplers.TPESampler(seed=base.seed),
            direction="maximize",
            load_if_exists=True,
        )
        while len(finished := _finished(study)) < trials:
            study.optimize(lambda trial: _score(trial, graph, split, base, space, seeds), 1)
            if on_attempt is not None:
                on_attempt(len(finished) + 1, _attempt(study.trials[-1]))
    return _result(study, base)


def hide_test(graph: Graph, split: Split) -> tuple[Graph, Split]:
    """Return graph and split without test nodes and without any label but those searched on."""
    labels = np.full_like(graph.labels, UNLABELLED)
    known = np.concatenate([split.train, split.validation])
    labels[known] = graph.labels[known]
    nothing = np.zeros(0, dtype=np.int64)
    return (
        dataclasses.replace(graph, labels=labels),
        Split(split.train, split.validation, nothing),
    )


def _check(space: Space, trials: int) -> None:
    faults = [Fault(name, describe_unknown(name)) for name in space if not is_setting(name)]
    if trials < 1:
        faults.append(Fault("trials", f"{trials} is outside [1, inf)"))
    if faults:
        raise InvalidHyperparameter(faults)


def _score(
    trial: optuna.Trial,
    graph: Graph,
    split: Split,
    base: NetworkSettings,
    space: Space,
    seeds: Sequence[int],
) -> float:
    settings: dict[str, Any] = {name: domain.suggest(trial, name) for name, domain in space.items()}
    accuracies, losses = [], []
    for seed in seeds:
        config = change_settings(base, {**settings, "seed": seed})
        try:
            measured = fit(graph, split, config).metrics["validation"]
        except TrainingDiverged as error:
            raise optuna.TrialPruned from error
        accuracies.append(measured.accuracy)
        losses.append(measured.log_loss)
    accuracy, loss = float(np.mean(accuracies)), float(np.mean(losses))
    trial.set_user_attr("validation_accuracy", accuracy)
    trial.set_user_attr("validation_loss", loss)
    return accuracy - LOSS_WEIGHT * min(loss, 1.0)


def _finished(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(states=(TrialState.COMPLETE, TrialState.PRUNED))


def _attempt(trial: FrozenTrial) -> Attempt:
    return Attempt(
        settings=dict(trial.params),
        score=trial.value,
        validation_accuracy=trial.user_attrs.get("validation_accuracy"),
        validation_loss=trial.user_attrs.get("validation_loss"),
    )


def _result(study: optuna.Study, base: NetworkSettings) -> SearchResult:
    if not study.get_trials(states=(TrialState.COMPLETE,)):
        raise InvalidHyperparameter([Fault("space", "every attempt diverged")])
    best = study.best_trial
    return SearchResult(
        config=change_settings(base, best.params),
        validation_accuracy=best.user_attrs["validation_accuracy"],
        validation_loss=best.user_attrs["validation_loss"],
        attempts=tuple(_attempt(trial) for trial in _finished(study)),
    )


def _study_name(
    graph: Graph, split: Split, base: NetworkSettings, space: Space, seeds: Sequence[int]
) -> str:
    """Name the problem, so that one storage can hold the searches of many."""
    parts = [
        graph.content_hash,
        graph.label_hash,
        split.content_hash,
        json.dumps(flatten_settings(base), sort_keys=True),
        repr(sorted(space.items())),
        repr(list(seeds)),
    ]
    return "search-" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


@contextmanager
def _quiet_optuna() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
