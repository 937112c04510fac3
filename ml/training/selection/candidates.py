"""Candidate methods of ``method: auto``, in the order in which they are tried."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ml.training.selection.edges import BY_PLACE, NARROW_FEATURES, list_weightings
from ml.training.selection.problem import LabelProblem

Family = Literal["propagation", "tabular", "network"]
MOST_SPREAD_NODES = 3000
"""Above this the fractional power of the Laplacian, a full matrix, takes minutes."""
LARGE = 20_000
"""Above this many nodes only the candidates that usually win are tried."""
LABELS_PER_CLASS = 3
"""With fewer labels per class than this the settings of propagation are not chosen but given:
holding out one label of two changes the problem more than the settings do."""
LEAST_EVEN = 3
"""From this many labels per class on, an even sample rules out balanced masses: they would give
every class the same mass. On zones and areas of eight grids balancing gained 1 to 14 points with
one label per class, lost one with three (mean), and lost 0 to 8 with ten."""
SHORT_REACH = 4
"""Labels per class below which an uneven sample spreads over a short distance: the classes whose
labels happen to be many would take the places of those without one. On zones and areas of eight
grids, sampled at random, reach 0.9 gained 4 points (-4 to 16) with one to two and a half labels
per class over 0.9999 with balanced masses; with four and more there is no difference."""
OTHER_COST = 1.0
"""Cost of every feature method and network but the first feature method. Costs also decide between
families: of the many settings of propagation the best is partly lucky. On 28 cells of tuning tasks
(4 to 8 splits) this was right at 82 % of the unseen buses; a further cost of one for propagation,
or for feature methods, lost 0.2 to 0.5 points."""
EPOCHS = (25, 50, 100, 200)
"""Lengths of training that a network is judged at."""
_READOUTS: tuple[dict[str, Any], ...] = (
    {"readout": "clamped", "balanced": True},
    {"readout": "clamped"},
    {"readout": "additive", "sigma": 0.0},
    {"readout": "additive", "sigma": 0.5},
)
_ALPHAS = (0.9999, 0.99, 0.9)
_REACH_COSTS = (0.0, 0.6, 2.0)
"""Costs of the reaches, from the usual one to the most different one."""
_GAMMAS = (1.0, 0.7)
"""With jumps (gamma below 1) only the default and the plain weights are tried: they take most of
the time and were not chosen once on 87 splits of the tuning tasks."""
_EDGE_COSTS = {"bridges_10_mild_contrast": 1.5, "bridges_10_contrast": 2.5}

_EDGE_WORDS = {
    "plain": "the branches",
    "neighbourhood": "the branches and between neighbouring places",
    "nearness": "the branches, short ones stronger",
    "bridges_3": "the branches, transformers three times as strong",
    "bridges_10": "the branches, transformers ten times as strong",
    "bridges_10_mild_contrast": "the branches, strong transformers, unlike ends a little weaker",
    "bridges_10_contrast": "the branches, strong transformers, unlike ends weaker",
}
_METHOD_WORDS = {
    "forest": "random forest",
    "extra_trees": "extremely randomised trees",
    "logistic": "logistic regression",
    "nearest": "nearest known buses",
}
_PART_WORDS = {
    "own": "features",
    "neighbours": "neighbours' features",
    "near": "features averaged nearby",
    "far": "features averaged widely",
    "places": "places",
    "branches": "branches",
    "other_branches": "neighbours' branches",
    "scores": "labels of other buses",
}


@dataclass(frozen=True)
class Candidate:
    """A method with its settings; plain data.

    ``settings`` of a network are fields of ``make_config``; of a feature method ``parts``
    names its columns; of propagation ``edges`` names the edge weights, the rest are the fields
    of ``Spreading``. ``prior_cost`` is what a candidate must gain over the first one of
    propagation or of the feature methods, in log-likelihood of all known labels, before it is
    preferred: with few labels the default stays unless the labels speak clearly against it.
    """

    key: str
    family: Family
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    prior_cost: float = 0.0

    @property
    def title(self) -> str:
        """What the method does, in words."""
        if self.family == "propagation":
            balanced = ", classes balanced" if self.settings.get("balanced") else ""
            reach = f"reach {self.settings['alpha']:g}"
            jumps = ", with jumps" if self.settings["gamma"] < 1 else ""
            over = _EDGE_WORDS.get(self.settings["edges"], f"weighted by {self.settings['edges']}")
            return f"label propagation over {over} ({reach}{jumps}{balanced})"
        if self.family == "network":
            return f"network {self.method}"
        parts = " and ".join(_PART_WORDS[part] for part in self.settings["parts"])
        smoothed = ", corrected and smoothed over the graph" if "smooth" in self.settings else ""
        return f"{_METHOD_WORDS[self.method]} on {parts}{smoothed}"


def list_candidates(problem: LabelProblem) -> tuple[Candidate, ...]:
    """List the candidates that fit a problem, the one to use without evidence first."""
    spread = list(_list_propagations(problem))
    if len(problem.known) < LABELS_PER_CLASS * (problem.counts > 0).sum():
        spread = spread[:1]
    if problem.graph.node_count <= LARGE:
        return (*spread, *_list_tabular(problem), *_list_networks(problem))
    spread = [spread[0], *(one for one in spread[1:] if one.prior_cost <= 1.6)]
    trained = ("forest", "trees_scores", "nearest_5")
    return (*spread, *(one for one in _list_tabular(problem) if one.key in trained))


def _list_propagations(problem: LabelProblem) -> Iterator[Candidate]:
    names = list_weightings(problem)
    alphas, readouts = _order_spreadings(problem)
    jumping = {names[0], "plain"} if problem.graph.node_count <= MOST_SPREAD_NODES else set()
    for gamma in _GAMMAS:
        for edges in names if gamma == 1 else [name for name in names if name in jumping]:
            for alpha, reach_cost in zip(alphas, _REACH_COSTS, strict=True):
                for readout in readouts:
                    settings = {"edges": edges, "alpha": alpha, "gamma": gamma, **readout}
                    cost = reach_cost + _prior_cost(settings, names[0], readouts[0])
                    yield Candidate(_name(settings), "propagation", "propagation", settings, cost)


def _order_spreadings(
    problem: LabelProblem,
) -> tuple[tuple[float, ...], tuple[dict[str, Any], ...]]:
    """Return reaches and read-outs, the usual ones for this sample of labels first."""
    balanced, *others = _READOUTS
    if problem.is_even:
        few = problem.counts.max() < LEAST_EVEN
        return _ALPHAS, (balanced, *others) if few else tuple(others)
    short = len(problem.known) < SHORT_REACH * (problem.counts > 0).sum()
    return _ALPHAS[::-1] if short else _ALPHAS, (others[0], balanced, *others[1:])


def _prior_cost(settings: dict[str, Any], default: str, readout: dict[str, Any]) -> float:
    """Return the distance of a setting from default edges and read-out, in nats.

    The scale was chosen on the tuning tasks (4 to 6 splits each): half of it lowered their mean
    accuracy by 0.1 to 0.6 points, one and a half times of it by 0.0 to 0.3, within the noise.
    """
    chosen = settings["edges"]
    edges = 0.0 if chosen == default else _EDGE_COSTS.get(chosen, 1.0)
    jumps = 0.0 if settings["gamma"] == 1 else 1.0
    by_place = chosen in BY_PLACE and settings["readout"] == "clamped"
    usual = settings.get("balanced") == readout.get("balanced") and (
        settings["readout"] == readout["readout"]
    )
    return edges + jumps + (0.0 if by_place or usual else 1.0)


def _name(settings: dict[str, Any]) -> str:
    kind = "balanced" if settings.get("balanced") else settings["readout"]
    sigma = f",s={settings['sigma']:g}" if "sigma" in settings else ""
    reach = f"a={settings['alpha']:g},g={settings['gamma']:g}{sigma}"
    return f"propagation[{settings['edges']},{reach},{kind}]"


def _list_tabular(problem: LabelProblem) -> Iterator[Candidate]:
    width = problem.graph.features.shape[1]
    placed = problem.places is not None
    table: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = []
    if width > NARROW_FEATURES:
        table += [
            ("logistic_far", "logistic", ("far",), {"C": 100.0}),
            ("logistic_near", "logistic", ("near",), {"C": 100.0}),
            ("logistic", "logistic", ("own",), {"C": 10.0}),
            ("logistic_smoothed", "logistic", ("own",), {"C": 10.0, "smooth": 0.9}),
            ("forest_neighbours", "forest", ("neighbours",), {}),
        ]
    elif width:
        table += [
            ("forest", "forest", ("own",), {}),
            ("forest_smoothed", "forest", ("own",), {"smooth": 0.9}),
            ("trees_scores", "extra_trees", ("own", "neighbours", "scores"), {}),
            ("trees_neighbours", "extra_trees", ("own", "neighbours"), {}),
            ("forest_far", "forest", ("own", "neighbours", "far"), {}),
            ("logistic", "logistic", ("own", "near", "far"), {"C": 1.0}),
        ]
    else:
        table += [("trees_scores", "extra_trees", ("scores",), {})]
    if placed:
        table += [
            ("nearest_1", "nearest", ("places",), {"neighbours": 1}),
            ("nearest_5", "nearest", ("places",), {"neighbours": 5}),
            ("trees_places", "extra_trees", ("places", "scores"), {}),
        ]
    if problem.branches is not None:
        around = ("own", "neighbours", "branches", "other_branches")
        table += [
            ("forest_branches", "forest", ("branches",), {}),
            ("trees_branches", "extra_trees", around, {}),
        ]
    for place, (key, method, parts, settings) in enumerate(table):
        cost = OTHER_COST if place or not width else 0.0
        yield Candidate(key, "tabular", method, {"parts": parts, **settings}, cost)


def _list_networks(problem: LabelProblem) -> Iterator[Candidate]:
    if problem.graph.features.shape[1] == 0:
        return
    wide = problem.graph.features.shape[1] > NARROW_FEATURES
    scaling = {"feature_scaling": "presence" if wide else "quantile"}
    exact = {"filter_method": "exact", "alpha": 0.95, "gamma": 0.8}
    plus = {"label_spreading": "clamped", "label_alpha": 0.9999, "label_bridges": 3.0}
    networks: list[tuple[str, dict[str, Any]]] = [
        ("lfgcn", {"method": "lfgcn"}),
        ("lfgcn_exact", {"method": "lfgcn", **exact}),
        ("lfgcn_plus", {"method": "lfgcn_plus", **exact, **plus, "members": 2}),
        ("gcn_skip", {"method": "gcn_skip"}),
        ("appnp", {"method": "appnp", "alpha": 0.9}),
        ("gcn", {"method": "gcn", "width": 16, "weight_decay": 5e-4}),
        ("mlp", {"method": "mlp", "weight_decay": 5e-4}),
    ]
    for key, settings in networks:
        whole = {**scaling, "stops": EPOCHS, **settings}
        yield Candidate(key, "network", settings["method"], whole, OTHER_COST)
