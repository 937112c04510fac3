"""Every single method with fixed settings, trained on the labels that the default gets."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from experiments.selection.cells import KnownLabels
from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.split import Split, stratified_split
from ml.methods.closed_form import MOST_FRACTIONAL_NODES
from ml.methods.direct import fit_direct
from ml.methods.registry import get_method, make_config
from ml.training.fit import fit
from ml.training.selection.candidates import EPOCHS, Candidate
from ml.training.selection.edges import NARROW_FEATURES, list_weightings
from ml.training.selection.evaluation import Evaluator
from ml.training.selection.networks import train_epochs
from ml.training.selection.problem import LabelProblem

Kind = Literal["direct", "propagation", "tabular", "network"]
MOST_NETWORK_NODES = 5000
"""Above this many nodes training a network takes minutes per cell: networks are left out."""
VALIDATION = 1 / 3
"""Fraction of the known labels that stops the training of a network."""
EPOCHS_WITHOUT_VALIDATION = EPOCHS[2]


@dataclass(frozen=True)
class SingleMethod:
    """A rival of the default: ``settings`` belong to ``method``, and nothing is chosen.

    ``direct`` methods and networks are those of the registry; ``propagation`` and ``tabular``
    methods exist only as candidates of the automatic choice.
    """

    key: str
    title: str
    kind: Kind
    method: str
    settings: dict[str, Any] = field(default_factory=dict)


def _closed(name: str, alpha: float, gamma: float = 1.0) -> SingleMethod:
    settings = {"name": name, "alpha": alpha, "gamma": gamma}
    jumps = "" if gamma == 1 else f", gamma {gamma:g}"
    title = f"{name}, alpha {alpha:g}{jumps}"
    return SingleMethod(f"{name.lower()}_{alpha:g}", title, "direct", "closed_form", settings)


def _spread(key: str, title: str, edges: str, alpha: float) -> SingleMethod:
    settings = {
        "edges": edges,
        "alpha": alpha,
        "gamma": 1.0,
        "readout": "clamped",
        "balanced": True,
    }
    return SingleMethod(key, title, "propagation", "propagation", settings)


def _table(key: str, title: str, method: str, *parts: str, **settings: Any) -> SingleMethod:
    return SingleMethod(key, title, "tabular", method, {"parts": parts, **settings})


def _network(key: str, title: str, **settings: Any) -> SingleMethod:
    return SingleMethod(key, title, "network", settings["method"], settings)


_EXACT = {"filter_method": "exact", "alpha": 0.95, "gamma": 0.8, "drop_edge": "none"}
_PLUS = {"label_spreading": "clamped", "label_alpha": 0.9999, "label_bridges": 3.0, "members": 2}
_PLAIN = {"drop_edge": "none"}
_SPARSE = {"filter_method": "taylor", "filter_order": 8, "alpha": 0.9, "gamma": 1.0}
METHODS = (
    SingleMethod("majority", "Majority class", "direct", "majority"),
    SingleMethod("lp", "Label propagation", "direct", "label_propagation"),
    SingleMethod(
        "lp_raw",
        "Label propagation, masses not normalised",
        "direct",
        "label_propagation",
        {"normalised": False},
    ),
    _spread("lp_0.9999", "Label propagation, alpha 0.9999", "plain", 0.9999),
    _spread("lp_0.99", "Label propagation, alpha 0.99", "plain", 0.99),
    _spread("lp_bridges", "Label propagation, transformers x 3", "bridges_3", 0.9999),
    _spread(
        "lp_contrast",
        "Label propagation, transformers x 10, contrast",
        "bridges_10_mild_contrast",
        0.9999,
    ),
    _spread("lp_nearness", "Label propagation, short branches stronger", "nearness", 0.9999),
    _spread(
        "lp_neighbourhood",
        "Label propagation, also between neighbouring places",
        "neighbourhood",
        0.9999,
    ),
    _closed("SL", 0.99),
    _closed("NL", 0.99),
    _closed("PR", 0.99),
    _closed("NL", 0.9),
    _closed("FSL", 0.9, 0.7),
    _closed("FNL", 0.9, 0.7),
    _closed("FPR", 0.9, 0.7),
    SingleMethod("forest", "Random forest", "direct", "forest"),
    _table("trees_neighbours", "Trees on neighbours", "extra_trees", "own", "neighbours"),
    _table("trees_scores", "Trees on label scores", "extra_trees", "own", "neighbours", "scores"),
    _table("logistic", "Logistic regression, smoothed", "logistic", "own", "near", "far", C=1.0),
    _table("logistic_words", "Logistic regression, far words", "logistic", "far", C=100.0),
    _table("near_words", "Logistic regression, near words", "logistic", "near", C=100.0),
    _table("smoothed_words", "Words, Correct and Smooth", "logistic", "own", C=10.0, smooth=0.9),
    _table("smoothed", "Forest, Correct and Smooth", "forest", "own", smooth=0.9),
    _table("nearest_1", "Nearest neighbour on the map", "nearest", "places", neighbours=1),
    _table("nearest_5", "5 nearest neighbours on the map", "nearest", "places", neighbours=5),
    _table("forest_branches", "Random forest on branches", "forest", "branches"),
    _table(
        "trees_branches",
        "Trees on features and branches",
        "extra_trees",
        "own",
        "neighbours",
        "branches",
        "other_branches",
    ),
    _table("trees_places", "Trees on places and scores", "extra_trees", "places", "scores"),
    _network("lfgcn", "LFGCN (paper)", method="lfgcn"),
    _network("lfgcn_exact", "LFGCN, exact filter", method="lfgcn", **_EXACT),
    _network("lfgcn_plus", "LFGCN+", method="lfgcn_plus", **_EXACT, **_PLUS),
    _network("gcn", "GCN", method="gcn", width=16, weight_decay=5e-4, **_PLAIN),
    _network("gcn_skip", "GCN with skip", method="gcn_skip", **_PLAIN),
    _network("appnp", "APPNP", method="appnp", alpha=0.9, **_PLAIN),
    _network("mlp", "MLP", method="mlp", weight_decay=5e-4, **_PLAIN),
)
_FRACTIONAL = ("FSL", "FNL", "FPR")


def find_obstacle(method: SingleMethod, problem: KnownLabels) -> str | None:
    """Return why a method is not run in a cell, None if it is."""
    graph = problem.graph
    if method.settings.get("name") in _FRACTIONAL and graph.node_count > MOST_FRACTIONAL_NODES:
        return f"more than {MOST_FRACTIONAL_NODES} nodes: takes too long"
    if method.kind == "propagation":
        known = list_weightings(_label_problem(problem, 0))
        return None if method.settings["edges"] in known else "the grid has no such weights"
    if method.kind == "tabular":
        return _find_missing_columns(method, problem)
    if method.kind == "network" and graph.node_count > MOST_NETWORK_NODES:
        return f"more than {MOST_NETWORK_NODES} nodes: takes too long"
    return None


def _find_missing_columns(method: SingleMethod, problem: KnownLabels) -> str | None:
    parts = method.settings["parts"]
    if "places" in parts:
        return "the nodes have no places" if _label_problem(problem, 0).places is None else None
    if "branches" in parts:
        known = problem.surroundings.branches is not None
        return None if known else "nothing is known about the branches"
    has_words = problem.graph.features.shape[1] > NARROW_FEATURES
    if method.key.endswith("_words") and not has_words:
        return "the features are not words"
    if has_words and not method.key.endswith("_words"):
        return "the features are words"
    return None


def answer(method: SingleMethod, problem: KnownLabels, seed: int) -> FloatArray:
    """Train a method on all known labels and return its probabilities, (N, K)."""
    if method.kind == "direct":
        chosen = get_method(method.method)
        settings = chosen.settings(**method.settings, seed=seed)
        return fit_direct(chosen, problem.graph, problem.split, settings)[0]
    if method.kind == "network":
        return _train(method, problem, seed)
    candidate = Candidate(method.key, method.kind, method.method, method.settings)
    alone = np.arange(len(problem.known))[None]
    return Evaluator(_label_problem(problem, seed), alone).refit(candidate).probabilities


def _train(method: SingleMethod, problem: KnownLabels, seed: int) -> FloatArray:
    """Train a network; a third of the labels stops it where every class has two on average.

    With fewer labels none is spared: the network trains for a fixed number of epochs.
    """
    graph = problem.graph
    config = make_config(**_complete(method, graph, seed))
    if len(problem.known) < 2 * graph.class_count:
        stops = (EPOCHS_WITHOUT_VALIDATION,)
        return np.asarray(train_epochs(graph, problem.known, config, stops)[0][-1])
    return fit(graph, _split_known(graph, seed), config).probabilities


def _split_known(graph: Graph, seed: int) -> Split:
    """Divide the known labels class by class; leftovers of the rounding train as well."""
    drawn = stratified_split(graph.labels, seed, (1 - VALIDATION - 1e-6, VALIDATION, 1e-6))
    train = np.concatenate([drawn.train, drawn.test])
    return Split(train, drawn.validation, drawn.test[:0])


def _complete(method: SingleMethod, graph: Graph, seed: int) -> dict[str, Any]:
    """Return all settings of a network.

    On word features only presence counts and LFGCN has gamma 1, as in the reproduction; the
    exact filter, which takes minutes there, gives way to a series of order eight.
    """
    run = {"device": "cpu", "seed": seed, **method.settings}
    if graph.features.shape[1] <= NARROW_FEATURES:
        return {"feature_scaling": "quantile", **run}
    filtering = _SPARSE if run.get("filter_method") == "exact" else {"gamma": 1.0}
    own = filtering if method.method in {"lfgcn", "lfgcn_plus"} else {}
    return {"feature_scaling": "presence", **run, **own}


def _label_problem(problem: KnownLabels, seed: int) -> LabelProblem:
    around = problem.surroundings
    return LabelProblem(
        problem.graph, around.groups, around.coordinates, around.branches, seed=seed
    )
