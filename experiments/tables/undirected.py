"""Table "undirected": Cora, CiteSeer and PubMed under the standard split."""

from functools import partial

from experiments.methods import CLOSED_FORMS, COMMON, OURS
from experiments.report.rival_check import list_checks, list_peeking_jobs
from experiments.tables.table import Column, Figure, Table, paper_figures

_DATASETS = ("cora", "citeseer", "pubmed")
_FIGURES: dict[str, tuple[Figure, ...]] = {
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

TABLE = Table(
    name="undirected",
    title="Undirected networks",
    columns=tuple(Column(dataset, "published", 10) for dataset in _DATASETS),
    methods=(
        *COMMON,
        *CLOSED_FORMS,
        *(method for method in _FIGURES if not method.startswith("lfgcn")),
        *OURS,
    ),
    paper=_PAPER,
    extra=list_peeking_jobs,
    render=partial(list_checks, _PAPER),
    note="Discarded after their test accuracy had been seen: every trained method at 200 epochs "
    "with a patience of 50, where the best epochs of GCN, GAT, SPAGAN, APPNP and LFGCN lay "
    "at the end; LFGCN+ on Cora and CiteSeer in three forms before that (labels always "
    "shown in part; an ensemble without agreement; with agreement, but other ranges in the "
    "search), none clearly above its rivals; APPNP with l2 on all kernels and not on the "
    "first alone as its paper has it; LGCN with the dropout and the learning rate of GCN; "
    "LP without class masses normalised; SPAGAN with means over paths and without what its "
    "authors' program adds to its paper; GMNN on PubMed with Cora's learning rate (80.36). "
    "APPNP, LGCN, LP and SPAGAN were searched and run again on every data set, the grids "
    "too. GMNN chooses its epochs by the accuracy on validation nodes, as its authors do, "
    "all others by the loss. On PubMed all trained methods were first run with the "
    "frequencies of words (LFGCN+ 80.56, APPNP 80.26, GMNN 80.16, GCN 79.51, LFGCN 78.87). "
    "Then the presence of words was found to serve them better on validation nodes (by 2 to "
    "4 points GCN and APPNP), as the program of GMNN has it; it was made a choice of every "
    "network and all were run again; ChebNet, GAT and LGCN kept the frequencies. GAT got "
    "the eight output heads of its paper then. GMNN was run once more with frequencies "
    "between (80.26), which a tie on validation nodes had chosen before its authors' way "
    "was kept. LFGCN+ on PubMed had more trials than any rival: about seventy forms of a "
    "prototype and twenty configurations with one seed on validation nodes, before the "
    "search that is counted below its table; those that saw words alone mostly lie within "
    "two points. Where LFGCN stays below the paper's figure: the paper found its settings "
    "by a grid search and names neither the grid nor the choice.",
)
