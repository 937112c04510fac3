"""Table "tasks": zone, area and hidden role of buses, where the graph can help."""

from experiments.methods import CLOSED_FORMS, COMMON, OURS
from experiments.tables.table import DatasetColumn, ResultTable

_DATASETS = (
    "activsg2000_zone",
    "case300_zone",
    "activsg500_zone",
    "activsg500_hidden_role",
    "activsg2000_area",
    "activsg2000_hidden_role",
)

TABLE = ResultTable(
    name="tasks",
    title="Tasks where the graph matters",
    columns=tuple(DatasetColumn(dataset, "seeded", 10) for dataset in _DATASETS),
    methods=(
        *OURS,
        *COMMON,
        "lp",
        *CLOSED_FORMS,
        "deepwalk",
        "gcn",
        "appnp",
        "vpn",
        "motifnet",
        "mixhop",
        "chebnet",
        "arma",
        "gat",
        "gmnn",
        "lgcn",
        "spagan",
    ),
)
