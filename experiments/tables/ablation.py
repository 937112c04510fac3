"""Table "ablation": LFGCN without one of its parts."""

from experiments.tables.table import DatasetColumn, ResultTable

TABLE = ResultTable(
    name="ablation",
    title="Ablation",
    columns=(DatasetColumn("ieee118", "published", 20), DatasetColumn("cora", "published", 10)),
    methods=("lfgcn_whole", "lfgcn_serial", "lfgcn_no_residual", "lfgcn_average", "lfgcn"),
    paper={
        ("cora", "lfgcn_whole"): (84.35, None),
        ("cora", "lfgcn_serial"): (84.31, None),
        ("cora", "lfgcn_no_residual"): (83.31, None),
        ("cora", "lfgcn_average"): (83.66, None),
        ("cora", "lfgcn"): (84.63, None),
        ("ieee118", "lfgcn_whole"): (82.20, None),
        ("ieee118", "lfgcn_serial"): (80.71, None),
        ("ieee118", "lfgcn_no_residual"): (80.07, None),
        ("ieee118", "lfgcn_average"): (81.12, None),
        ("ieee118", "lfgcn"): (82.40, None),
    },
)
