"""Rows of the tables: the method behind each, its published settings and its search space."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

from ml.methods.registry import get_method

SettingValues = dict[str, Any]
Space = dict[str, tuple[Any, ...]]
Kind = Literal["ours", "rival", "reference"]

OPTIMISER: Space = {
    "learning_rate": (0.01, 0.03, 0.05),
    "weight_decay": (0.0, 5e-4, 5e-3),
    "dropout": (0.0, 0.25, 0.5),
    "width": (16, 64),
    "feature_scaling": ("none", "standard", "minmax", "quantile"),
}
"""Searched for every network on the grids, besides its own settings."""
LEVY: Space = {
    "alpha": (0.1, 0.2, 0.3, 0.5, 0.9),
    "sigma": (0.0, 0.5, 1.0),
    "gamma": (0.001, 0.01, 0.1, 1.0),
    "branches": (2, 4),
}
CITATION_LEVY: Space = {
    "alpha": (0.7, 0.8, 0.9),
    "sigma": (0.0, 0.5),
    "filter_order": (None, 8),
    "skip": ("input", "filtered", "none"),
    "output_skip": (False, True),
    "width": (16, 32, 64),
    "dropout": (0.6, 0.8),
    "weight_decay": (5e-4, 2e-3, 5e-3),
    "learning_rate": (0.01, 0.03),
}
"""Without gamma: every citation row runs at gamma = 1, where the operator stays sparse."""


@dataclass(frozen=True)
class SearchSpaces:
    """Values that the search of a method may choose.

    On the grids it searches ``grid`` from the published settings. On the citation graphs it
    searches ``citation`` from ``CITATION_START`` and ``citation_start``; ``citation_on`` adds
    settings to start from and values to choose on single data sets.
    """

    grid: Space = field(default_factory=dict)
    citation: Space = field(default_factory=dict)
    citation_start: SettingValues = field(default_factory=dict)
    citation_on: dict[str, tuple[SettingValues, Space]] = field(default_factory=dict)


@dataclass(frozen=True)
class MethodRow:
    """A row of a table; ``method`` is the key of its method in ``ml.methods.registry``.

    ``changes`` are laid over the published settings or, if ``based_on`` names another row, over
    the tuned settings of that row, which is then the one that is searched. A ``deterministic``
    method draws no random numbers. A row with ``grids_only`` needs the loads of buses.
    """

    key: str
    title: str
    method: str
    search: SearchSpaces = SearchSpaces()
    changes: SettingValues = field(default_factory=dict)
    based_on: str = ""
    kind: Kind = "rival"
    deterministic: bool = False
    grids_only: bool = False

    def published(self, dataset: str) -> SettingValues:
        """Return the settings that the method was published with, on this data set."""
        method = get_method(self.method)
        return {**method.published, **method.published_on.get(dataset, {}), **self.changes}


def _network(key: str, title: str, **space: tuple[Any, ...]) -> MethodRow:
    return MethodRow(
        key=key,
        title=title,
        method=key,
        search=SearchSpaces({**OPTIMISER, **space}),
        changes={"drop_edge": "none"},
    )


def _variant(key: str, title: str, **changes: Any) -> MethodRow:
    """Return a row that changes one tuned setting of LFGCN without P-DropEdge, or of GMNN."""
    if key.startswith("gmnn"):
        return MethodRow(key, title, "gmnn", based_on="gmnn", changes=changes)
    return MethodRow(key, title, "lfgcn", based_on="lfgcn_whole", changes=changes, kind="ours")


def _reference(key: str, title: str) -> MethodRow:
    return MethodRow(key, title, key, kind="reference", deterministic=True)


def _closed(name: str) -> MethodRow:
    space: Space = {"alpha": (0.1, 0.5, 0.8, 0.9, 0.99)}
    if name.startswith("F"):
        space["gamma"] = (0.01, 0.1, 0.5, 0.9)
    return MethodRow(
        key=name.lower(),
        title=name,
        method="closed_form",
        search=SearchSpaces(space),
        changes={"name": name, "gamma": 0.5 if name.startswith("F") else 1.0},
        deterministic=True,
    )


CITATION_START: SettingValues = {
    "alpha": 0.8,
    "sigma": 0.5,
    "gamma": 1.0,
    "width": 16,
    "branches": 2,
    "dropout": 0.8,
    "learning_rate": 0.03,
    "weight_decay": 5e-4,
    "operator": "sparse",
}
PLUS_START: SettingValues = {
    "drop_edge": "none",
    "alpha": 0.5,
    "gamma": 1.0,
    "width": 16,
    "branches": 2,
    "members": 2,
    "feature_steps": 0,
    "dropout": 0.7,
    "hidden_labels": 0.3,
    "label_spreading": "clamped",
    "label_alpha": 0.999,
    "label_bridges": 8.0,
    "label_contrast": 0.2,
    "learning_rate": 0.03,
    "weight_decay": 5e-3,
}
_PUBMED_START: SettingValues = {
    "feature_scaling": "presence",
    "filtered_layers": "last",
    "branches": 1,
    "skip": "none",
    "output_skip": False,
    "dropout": 0.5,
    "temperature": 0.5,
    "learning_rate": 0.02,
    "weight_decay": 1e-4,
}
_PUBMED_SPACE: Space = {
    "alpha": (0.7, 0.8, 0.9),
    "filter_order": (8, 16),
    "filtered_layers": ("last", "all"),
    "skip": ("none", "filtered"),
    "weight_decay": (5e-5, 1e-4, 2e-4),
    "learning_rate": (0.01, 0.02),
    "temperature": (0.5, 1.0),
}
_PLUS_SEARCH = SearchSpaces(
    grid={
        **OPTIMISER,
        **LEVY,
        "label_spreading": ("clamped", "closed_form"),
        "label_alpha": (0.95, 0.99, 0.999),
        "label_trust": (0.0, 1.0),
        "label_bridges": (1.0, 4.0, 16.0),
        "label_contrast": (0.0, 0.2),
        "hidden_labels": (0.1, 0.3, 1.0),
        "dropout": (0.0, 0.5, 0.7),
        "feature_steps": (0, 1),
    },
    citation={
        **CITATION_LEVY,
        "alpha": (0.8, 0.9),
        "filter_order": (4, 8),
        "skip": ("input",),
        "width": (16, 32, 64),
        "dropout": (0.5, 0.6, 0.7),
        "weight_decay": (5e-4, 2e-3),
        "learning_rate": (0.01, 0.02, 0.05),
        "members": (2, 4),
        "agreement": (0.5, 1.0, 1.5),
        "temperature": (0.3, 0.5),
    },
    citation_start={
        "alpha": 0.9,
        "filter_order": 8,
        "width": 32,
        "dropout": 0.7,
        "hidden_labels": 1.0,
        "agreement": 1.0,
        "learning_rate": 0.01,
    },
    citation_on={"pubmed": (_PUBMED_START, _PUBMED_SPACE)},
)
_DROPPING: SettingValues = {"drop_edge": "preferential"}
_PLAIN: SettingValues = {"drop_edge": "none", "width": 64, "weight_decay": 5e-4}

_ALL: tuple[MethodRow, ...] = (
    _reference("majority", "Majority class"),
    dataclasses.replace(_reference("hand_rule", "Hand rule"), grids_only=True),
    _network("mlp", "MLP"),
    _network("island_mlp", "MLP + island mean (gamma -> 0)"),
    MethodRow(
        key="forest",
        title="Random forest",
        method="forest",
        search=SearchSpaces({"depth": (None, 4, 8), "leaf": (1, 2, 4)}),
    ),
    MethodRow(
        key="lp",
        title="LP",
        method="label_propagation",
        search=SearchSpaces({"normalised": (True, False)}),
        deterministic=True,
    ),
    MethodRow(
        key="deepwalk",
        title="DeepWalk",
        method="deepwalk",
        search=SearchSpaces({"window": (2, 5, 10), "size": (16, 32, 64), "length": (10, 40)}),
    ),
    *(_closed(name) for name in ("SL", "NL", "PR", "FSL", "FNL", "FPR")),
    _network("motifnet", "MotifNet", filter_order=(1, 2, 3)),
    _network("chebnet", "ChebNet", filter_order=(1, 2, 3)),
    _network("gcn", "GCN"),
    _network("gcn_skip", "GCN + skip"),
    _network("arma", "ARMA", filter_order=(1, 2), branches=(1, 2, 3)),
    _network("gat", "GAT", width=(8, 16), branches=(4, 8)),
    MethodRow(
        key="gmnn",
        title="GMNN",
        method="gmnn",
        search=SearchSpaces({**OPTIMISER, "sharpness": (1.0, 10.0)}),
        changes={"drop_edge": "none"},
    ),
    _network("lgcn", "LGCN"),
    _network(
        "spagan",
        "SPAGAN",
        width=(8, 16),
        branches=(4, 8),
        filter_order=(1, 2),
        pooling=("max", "average"),
    ),
    _network("appnp", "APPNP", alpha=(0.2, 0.5, 0.8, 0.9)),
    _network("vpn", "VPN", filter_order=(1, 2, 3)),
    _network("mixhop", "MixHop", filter_order=(1, 2, 3)),
    MethodRow(
        key="lfgcn_whole",
        title="LFGCN w/o P-DropEdge",
        method="lfgcn",
        search=SearchSpaces({**OPTIMISER, **LEVY}, CITATION_LEVY),
        changes=_PLAIN,
        kind="ours",
    ),
    _variant("lfgcn", "LFGCN", drop_edge="preferential"),
    MethodRow(
        key="lfgcn_plus",
        title="LFGCN+",
        method="lfgcn_plus",
        search=_PLUS_SEARCH,
        changes=PLUS_START,
        kind="ours",
    ),
    _variant("lfgcn_uniform", "LFGCN with DropEdge", drop_edge="uniform"),
    _variant("gmnn_preferential", "GMNN with P-DropEdge", drop_edge="preferential"),
    _variant("gmnn_uniform", "GMNN with DropEdge", drop_edge="uniform"),
    _variant("lfgcn_serial", "LFGCN w/o parallel structure", **_DROPPING, branches=1),
    _variant("lfgcn_no_residual", "LFGCN w/o residual block", **_DROPPING, skip="none"),
    _variant("lfgcn_average", "LFGCN w/o gated pooling", **_DROPPING, pooling="average"),
)

METHOD_ROWS: dict[str, MethodRow] = {row.key: row for row in _ALL}

COMMON = ("majority", "mlp", "island_mlp", "forest", "gcn_skip")
CLOSED_FORMS = ("sl", "nl", "pr", "fsl", "fnl", "fpr")
OURS = ("lfgcn_whole", "lfgcn", "lfgcn_plus")
