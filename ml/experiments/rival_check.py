"""The rivals written here from their papers, beside the accuracy that was published for them."""

from pathlib import Path

from ml.experiments.cells import Cell, read_cell
from ml.experiments.comparison import Summary, summarise
from ml.experiments.contenders import CONTENDERS
from ml.experiments.tables import Paper

WRITTEN_HERE = ("gmnn", "lgcn", "spagan", "vpn")
"""MotifNet is the fifth; no accuracy on these graphs was published for it."""

_HOW = (
    "The published figure is the one that the paper quotes. *Agrees*: the means differ by no "
    "more than the larger of the two standard deviations. No accuracy of MotifNet on these "
    "graphs was published."
)
_DIFFERENCES = (
    "Where a rival does not agree, this is known to differ from its source; whether it is the "
    "reason was not measured. LGCN: the whole graph in place of sampled sub-graphs, one layer of "
    "selection, dropout and learning rate as for GCN. SPAGAN: paths are priced by degrees and "
    "drawn once, not again by learned attention. VPN: each distance is normalised by its own "
    "degrees. All: the epochs and the patience that every method has here."
)


def list_checks(paper: Paper, results: Path) -> list[str]:
    """Return the lines of the document: each rival on each graph that was published for it."""
    lines = [
        "### Rivals written here beside what was published for them",
        "",
        _HOW,
        "",
        "| method | data set | published | here | difference | agrees |",
        "|---|---|---|---|---|---|",
    ]
    for method in WRITTEN_HERE:
        for (dataset, row), (mean, deviation) in paper.items():
            if row == method:
                published = Summary(mean, deviation or 0.0, 0)
                lines.append(_check(dataset, method, published, results))
    return [*lines, "", _DIFFERENCES, ""]


def _check(dataset: str, method: str, published: Summary, results: Path) -> str:
    start = f"| {CONTENDERS[method].title} | {dataset} | {published} "
    runs = read_cell(Cell("undirected", dataset, "published", method), results)["runs"]
    if not runs:
        return f"{start}| not run | | |"
    here = summarise(runs)
    gap = here.mean - published.mean
    agrees = abs(gap) <= max(here.deviation, published.deviation)
    return f"{start}| {here} | {gap:+.2f} | {'yes' if agrees else 'no'} |"
