"""docs/performance.md: what the benches measured, in tables and one picture."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.report.cost_aims import list_aims

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
Figures = dict[str, Any]
BENCHES = ("levy_setup", "epoch", "betweenness", "training")
_LARGE = 2000
_PICTURE = "cost-by-buses.svg"


def measure_all(folder: Path, report: Callable[[str], None]) -> None:
    """Run the benches, one after the other, and keep their figures as JSON."""
    from importlib import import_module

    folder.mkdir(parents=True, exist_ok=True)
    for name in BENCHES:
        report(f"bench {name}")
        figures = import_module(f"experiments.bench.{name}").run()
        text = json.dumps(figures, indent=1) + "\n"
        (folder / f"bench_{name}.json").write_text(text, encoding="utf-8")


def write_document(results: Path, docs: Path) -> list[Path]:
    """Write the document and its picture from the figures of the benches."""
    kept = {name: results / f"bench_{name}.json" for name in BENCHES}
    figures = {name: _read(path) for name, path in kept.items() if path.exists()}
    picture = docs / "images" / _PICTURE
    picture.parent.mkdir(parents=True, exist_ok=True)
    _save(draw_costs(figures), picture)
    document = docs / "performance.md"
    document.write_text(describe(figures), encoding="utf-8")
    return [document, picture]


def describe(figures: Figures) -> str:
    """Return the document as Markdown."""
    setup, epoch, paths = (figures[name]["rows"] for name in BENCHES[:3])
    slopes = {name: growth(points) for name, points in _curves(figures).items()}
    parts = [
        _INTRODUCTION,
        f"![Seconds against buses](images/{_PICTURE})",
        _growth_sentence(slopes),
        "## Aims",
        "\n".join(aim.describe() for aim in list_aims(figures)),
        "## Setting up the operator",
        _SETUP.format(
            compile=figures["levy_setup"]["compile_seconds"] or "an unmeasured number of"
        ),
        _table(setup, _SETUP_COLUMNS),
        "## An epoch",
        _EPOCH.format(
            **{key: figures["epoch"][key] for key in ("width", "branches", "taylor_order")}
        ),
        _table(_pivot(epoch), _epoch_columns(epoch)),
        _table(figures["epoch"]["ratios"], _RATIO_COLUMNS),
        "## Edge betweenness",
        _BETWEENNESS,
        _table(paths, _BETWEENNESS_COLUMNS),
        *_describe_trainings(figures),
    ]
    return "\n\n".join(parts) + "\n"


def _describe_trainings(figures: Figures) -> list[str]:
    if "training" not in figures:
        return []
    rows = figures["training"]["rows"]
    reasons = dict.fromkeys((row["graph"], row["operator"], row["reason"]) for row in rows)
    chosen = [f"- {graph}: {operator}, because {why}" for graph, operator, why in reasons]
    return [
        "## A training, and what was estimated before",
        _TRAINING,
        _table(rows, _TRAINING_COLUMNS),
        "Operators chosen:\n\n" + "\n".join(chosen),
    ]


def growth(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the exponent b of ``seconds ~ buses^b`` beyond 2,000 buses, None for one point."""
    large = np.array([point for point in points if point[0] >= _LARGE])
    if len(large) < 2:
        return None
    return float(np.polyfit(np.log(large[:, 0]), np.log(large[:, 1]), 1)[0])


def draw_costs(figures: Figures) -> "Figure":
    """Draw seconds against buses, both in powers of ten."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    panel = figure.subplots()
    for name, points in _curves(figures).items():
        buses, seconds = zip(*points, strict=True)
        panel.loglog(buses, seconds, marker="o", markersize=4, label=name)
    corner = (2000, 2e-3)
    ends = np.array([corner[0], 82_000])
    panel.loglog(ends, corner[1] * ends / corner[0], "k:", linewidth=1, label="linear")
    panel.set_xlabel("buses")
    panel.set_ylabel("seconds")
    panel.grid(which="major", color="#dddddd")
    panel.legend(fontsize=8)
    return figure


def _curves(figures: Figures) -> dict[str, list[tuple[float, float]]]:
    curves = {
        "set-up of the operator": [
            (row["buses"], row["seconds"]) for row in figures["levy_setup"]["rows"]
        ]
    }
    for method in ("LFGCN", "LFGCN + P-DropEdge", "APPNP", "GCN"):
        rows = [row for row in figures["epoch"]["rows"] if row["method"] == method]
        curves[f"epoch of {method}"] = [(row["buses"], row["ms"] / 1e3) for row in rows]
    return {name: points for name, points in curves.items() if points}


def _growth_sentence(slopes: dict[str, float | None]) -> str:
    known = [f"{name} as buses^{slope:.2f}" for name, slope in slopes.items() if slope is not None]
    return f"From {_LARGE:,} buses on, cost grows: {'; '.join(known)}." if known else ""


def _pivot(rows: list[Row]) -> list[Row]:
    by_size: dict[int, Row] = {}
    for row in rows:
        line = by_size.setdefault(row["buses"], {"buses": row["buses"], "threads": row["threads"]})
        line[row["method"]] = row["ms"]
    return list(by_size.values())


def _epoch_columns(rows: list[Row]) -> dict[str, str]:
    methods = dict.fromkeys(row["method"] for row in rows)
    return {"buses": "buses", "threads": "threads", **{name: name for name in methods}}


def _table(rows: list[Row], columns: dict[str, str]) -> str:
    lines = [f"| {' | '.join(columns.values())} |", "|" + "---:|" * len(columns)]
    lines += [f"| {' | '.join(_shown(row.get(key)) for key in columns)} |" for row in rows]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}"


def _read(path: Path) -> Figures:
    figures: Figures = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _save(figure: "Figure", path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    with mpl.rc_context({"svg.hashsalt": "levygrid", "svg.fonttype": "none"}):
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


_INTRODUCTION = """# What it costs

Written by `python -m experiments performance`, which measures and takes three to twenty minutes
on a quiet machine; `--no-measure` only writes this page again from
`experiments/results/bench_*.json`. Ratios within one run mean something, seconds depend on the
machine. Why the solver is what it is: [decision 8](decisions/0008-sparse-levy-solver.md)."""

_SETUP = """From the adjacency to an operator that can be applied: order of elimination, pattern,
bounds on the spectrum, poles, factors, exact fractional degrees. Every grid in a fresh interpreter.
*Warm*: poles cached, code compiled. *Cold*: the first set-up of a process, which fits the poles and
reads machine code from disk; the very first on a machine compiles for {compile} seconds more,
which a worker does before its first job and no later set-up repeats.
*Error*: of `Lt` against sinc quadrature. Speed-ups are over `numpy.linalg.eigh` in the same
process."""

_EPOCH = """Milliseconds for forward, backward and Adam, dropout before both convolutions. LFGCN is
the whole default network: {branches} branches of width {width}, Taylor order {taylor_order}, gate,
residual. P-DropEdge makes the operator of another censored graph for every epoch: by a low-rank
correction beside a full matrix up to a few thousand buses, by a numeric factorisation on the same
pattern beyond, one epoch ahead in another thread. GCN and APPNP are PyTorch Geometric's own, their
normalisation cached."""

_BETWEENNESS = """Trees are taken off first, then every node is a source, on all cores. Beyond two
billion steps pivots are sampled; *stated error* is the standard error of the top tenth of the
edges, relative to their scores."""

_TRAINING = """The default network with dropout, each row in a fresh process: seconds before the
first epoch (without edge scores), seconds an epoch (training and validation), peak memory, and each
as `ml.training.estimate` put it beforehand, which a worker asks before it starts a job. Numbered
graphs are grids of that many buses."""

_SETUP_COLUMNS = {
    "buses": "buses",
    "seconds": "warm s",
    "seconds_cold": "cold s",
    "eigh_seconds": "eigh s",
    "speedup": "speed-up",
    "speedup_cold": "speed-up cold",
    "poles": "poles",
    "error": "error",
    "peak_rss_gb": "peak RSS GB",
}
_TRAINING_COLUMNS = {
    "graph": "graph",
    "nodes": "nodes",
    "edges": "edges",
    "drop_edge": "P-DropEdge",
    "setup_seconds": "set-up s",
    "setup_estimated": "estimated",
    "epoch_seconds": "epoch s",
    "epoch_estimated": "estimated",
    "peak_rss_gb": "peak GB",
    "memory_estimated_gb": "estimated",
}
_RATIO_COLUMNS = {
    "buses": "buses",
    "lfgcn_to_gcn": "LFGCN / GCN",
    "lfgcn_to_appnp": "LFGCN / APPNP",
    "p_dropedge_to_lfgcn": "with / without P-DropEdge",
}
_BETWEENNESS_COLUMNS = {
    "buses": "buses",
    "seconds": "s",
    "networkx_seconds": "networkx s",
    "speedup": "speed-up",
    "speedup_igraph": "over igraph",
    "pivots": "sources",
    "relative_error": "stated error",
}
