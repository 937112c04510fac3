"""Table "directed": power grids and the directed citation graph."""

from experiments.methods import CLOSED_FORMS, COMMON, OURS
from experiments.tables.table import DatasetColumn, PaperFigure, ResultTable, paper_figures

_METHODS = (
    "motifnet",
    "chebnet",
    "gcn",
    "arma",
    "gmnn",
    "lgcn",
    "spagan",
    "appnp",
    "vpn",
    "mixhop",
    "lfgcn_whole",
    "lfgcn",
)
_FIGURES: dict[str, tuple[PaperFigure, ...]] = {
    "cora_directed": (
        60.00, 58.93, 57.75, (58.99, 0.52), (61.20, 0.50), (60.72, 0.43), (61.00, 0.45),
        (61.00, 0.44), (60.53, 0.43), (60.33, 0.55), (60.70, 0.47), (61.35, 0.45),
    ),
    "ieee118": (
        65.75, 60.00, 52.86, (70.55, 2.23), (78.88, 2.50), (71.43, 2.20), (78.55, 2.25),
        (82.05, 2.24), (82.19, 2.20), (80.05, 2.50), (82.20, 2.30), (82.40, 2.24),
    ),
    "tx2000": (
        82.00, 80.04, 73.36, (81.20, 0.23), (86.21, 0.29), (85.57, 0.25), (86.00, 0.26),
        (86.77, 0.30), (86.87, 0.33), (86.10, 0.25), (87.74, 0.30), (88.23, 0.26),
    ),
    "sc500": (
        95.18, 94.13, 90.33, (94.33, 0.47), (96.57, 0.52), (95.14, 0.45), (96.19, 0.40),
        (96.11, 0.45), (96.23, 0.50), (95.94, 0.40), (97.61, 0.47), (97.85, 0.47),
    ),
}  # fmt: skip


TABLE = ResultTable(
    name="directed",
    title="Directed networks",
    columns=(
        DatasetColumn("ieee118", "published", 20),
        DatasetColumn("ieee118", "seeded", 20),
        DatasetColumn("sc500", "published", 20),
        DatasetColumn("sc500", "seeded", 20),
        DatasetColumn("tx2000", "seeded", 10),
        DatasetColumn("sc500_br_b", "published", 20),
        DatasetColumn("cora_directed", "seeded", 10),
        DatasetColumn("cora_ml_directed", "seeded", 10),
    ),
    methods=(
        "hand_rule",
        *COMMON,
        "lp",
        *CLOSED_FORMS,
        *(method for method in _METHODS if not method.startswith("lfgcn")),
        *OURS,
    ),
    paper=paper_figures(
        {name: dict(zip(_METHODS, figures, strict=True)) for name, figures in _FIGURES.items()}
    ),
)
