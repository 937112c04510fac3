"""Table "drop_edge": preferential against uniform edge dropping on LFGCN and GMNN."""

from experiments.tables.table import DatasetColumn, ResultTable

TABLE = ResultTable(
    name="drop_edge",
    title="P-DropEdge against DropEdge",
    columns=(DatasetColumn("sc500", "published", 20), DatasetColumn("citeseer", "published", 10)),
    methods=("gmnn_uniform", "gmnn_preferential", "lfgcn_uniform", "lfgcn"),
    paper={
        ("citeseer", "gmnn_uniform"): (73.10, None),
        ("citeseer", "gmnn_preferential"): (73.20, None),
        ("citeseer", "lfgcn_uniform"): (72.05, None),
        ("citeseer", "lfgcn"): (73.31, None),
        ("sc500", "gmnn_uniform"): (96.57, None),
        ("sc500", "gmnn_preferential"): (96.89, None),
        ("sc500", "lfgcn_uniform"): (97.58, None),
        ("sc500", "lfgcn"): (97.85, None),
    },
)
