"""Table "undirected": Cora, CiteSeer and PubMed under the standard split."""

from functools import partial

from experiments.methods import CLOSED_FORMS, COMMON, OURS
from experiments.report.rival_check import list_checks, list_peeking_jobs
from experiments.tables.table import DatasetColumn, PaperFigure, ResultTable, paper_figures

_DATASETS = ("cora", "citeseer", "pubmed")
_FIGURES: dict[str, tuple[PaperFigure, ...]] = {
    "lp": (68.70, 46.32, 65.92),
    "deepwalk": (67.20, 43.27, 65.33),
    "chebnet": (81.45, 70.23, 78.40),
    "gcn": (81.50, 71.11, 79.00),
    "arma": ((82.80, 0.63), (72.30, 0.44), (78.80, 0.30)),
    "gat": ((83.11, 0.70), (70.85, 0.70), (78.56, 0.31)),
    "gmnn": ((83.72, 0.90), (73.10, 0.79), (81.80, 0.53)),
    "lgcn": ((83.35, 0.51), (73.08, 0.63), (79.51, 0.22)),
    "spagan": ((83.63, 0.55), (73.02, 0.41), (79.60, 0.40)),
    "appnp": ((83.31, 0.53), (72.30, 0.51), (80.12, 0.20)),
    "vpn": ((81.89, 0.57), (71.40, 0.32), (79.60, 0.39)),
    "mixhop": ((81.90, 0.81), (71.41, 0.40), (80.81, 0.58)),
    "lfgcn_whole": ((84.35, 0.57), (71.89, 0.77), (79.60, 0.55)),
    "lfgcn": ((84.63, 0.55), (73.31, 0.76), (79.65, 0.50)),
}

_PAPER = paper_figures(
    {
        dataset: {method: figures[place] for method, figures in _FIGURES.items()}
        for place, dataset in enumerate(_DATASETS)
    }
)

TABLE = ResultTable(
    name="undirected",
    title="Undirected networks",
    columns=tuple(DatasetColumn(dataset, "published", 10) for dataset in _DATASETS),
    methods=(
        *COMMON,
        *CLOSED_FORMS,
        *(method for method in _FIGURES if not method.startswith("lfgcn")),
        *OURS,
    ),
    paper=_PAPER,
    extra_jobs=list_peeking_jobs,
    render=partial(list_checks, _PAPER),
)
