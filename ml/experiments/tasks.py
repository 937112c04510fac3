"""Table "tasks": zone, area and hidden role, where the graph has something to say."""

from ml.experiments.contenders import CLOSED_FORMS, COMMON, OURS
from ml.experiments.tables import Column, Table

TABLE = Table(
    name="tasks",
    title="Tasks where the graph matters",
    columns=(
        Column("activsg2000_zone", "seeded", 10),
        Column("case300_zone", "seeded", 10),
        Column("activsg500_zone", "seeded", 10),
        Column("activsg500_hidden_role", "seeded", 10),
        Column("activsg2000_area", "seeded", 10),
        Column("activsg2000_hidden_role", "seeded", 10),
    ),
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
    note="Not in the paper. 10 % of the labels train, 20 % validate; zones and areas are split "
    "class by class. case300 and ACTIVSg500 have a single area, so only their zones are asked for.",
)
