"""docs/performance.md: the figures of the benches in tables and one picture."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.json_lines import find_line, update_line
from experiments.report.cost_aims import list_aims
from experiments.report.notes import read_note

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
Figures = dict[str, Any]
BENCHES = ("levy_setup", "epoch", "betweenness", "training")
SERVICE_BENCHES = ("predict",)
"""Benches of the service, run as a command: experiments do not import it."""
_LARGE = 2000
_PICTURE = "cost-by-buses.svg"
_FILE = "bench.jsonl"


def measure_all(results: Path, on_progress: Callable[[str], None]) -> None:
    """Run the benches one after the other and store their figures."""
    from importlib import import_module

    for name in BENCHES:
        on_progress(f"bench {name}")
        figures = import_module(f"experiments.bench.{name}").run()
        store_figures(results, name, figures)
    for name in SERVICE_BENCHES:
        on_progress(f"levygrid bench {name}")
        store_figures(results, name, _run_command(name))


def _run_command(name: str) -> Figures:
    with TemporaryDirectory(prefix="levygrid-bench-") as folder:
        path = Path(folder, "figures.json")
        command = [sys.executable, "-P", "-m", "app.cli", "bench", name, "--json", str(path)]
        subprocess.run(command, check=True)  # noqa: S603 - our own program
        figures: Figures = json.loads(path.read_text(encoding="utf-8"))
        return figures


def store_figures(results: Path, bench: str, figures: Figures) -> None:
    """Store the figures of a bench in place of its earlier ones."""
    key = {"bench": bench}
    update_line(results / _FILE, key, lambda _stored: {**key, **figures})


def write_document(results: Path, docs: Path) -> list[Path]:
    """Write the page and its picture from the stored figures."""
    names = (*BENCHES, *SERVICE_BENCHES)
    lines = {name: find_line(results / _FILE, {"bench": name}) for name in names}
    figures = {name: line for name, line in lines.items() if line is not None}
    picture = docs / "images" / _PICTURE
    picture.parent.mkdir(parents=True, exist_ok=True)
    save_figure(draw_costs(figures), picture)
    document = docs / "performance.md"
    document.write_text(describe(figures), encoding="utf-8")
    return [document, picture]


def describe(figures: Figures) -> str:
    """Return the page as Markdown."""
    setup, epoch = figures["levy_setup"], figures["epoch"]
    slopes = {name: growth(points) for name, points in _curves(figures).items()}
    page = read_note(
        "performance",
        picture=f"![Seconds against buses](images/{_PICTURE})",
        growth=_growth_sentence(slopes),
        aims="\n".join(aim.describe() for aim in list_aims(figures)),
        compile_seconds=setup["compile_seconds"] or "an unmeasured number of",
        setup_table=_table(setup["rows"], _SETUP_COLUMNS),
        branches=epoch["branches"],
        width=epoch["width"],
        taylor_order=epoch["taylor_order"],
        epoch_table=_table(_pivot(epoch["rows"]), _epoch_columns(epoch["rows"])),
        ratio_table=_table(epoch["ratios"], _RATIO_COLUMNS),
        betweenness_table=_table(figures["betweenness"]["rows"], _BETWEENNESS_COLUMNS),
    )
    parts = [page, *_describe_trainings(figures), *_describe_predictions(figures)]
    return "\n\n".join(parts) + "\n"


def _describe_trainings(figures: Figures) -> list[str]:
    if "training" not in figures:
        return []
    rows = figures["training"]["rows"]
    reasons = dict.fromkeys((row["graph"], row["operator"], row["reason"]) for row in rows)
    chosen = [f"- {graph}: {operator}, because {reason}" for graph, operator, reason in reasons]
    table = _table(rows, _TRAINING_COLUMNS)
    return [read_note("performance_training", table=table, operators="\n".join(chosen))]


def _describe_predictions(figures: Figures) -> list[str]:
    if "predict" not in figures:
        return []
    measured = figures["predict"]
    table = _table(measured["rows"], _PREDICT_COLUMNS)
    bulk_table = _table(measured["bulk"], _BULK_COLUMNS)
    client = measured["client"]
    return [read_note("performance_predict", client=client, table=table, bulk_table=bulk_table)]


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


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as SVG, the same bytes for the same figure."""
    import matplotlib as mpl

    mpl.use("svg")
    with mpl.rc_context({"svg.hashsalt": "levygrid", "svg.fonttype": "none"}):
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


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
_PREDICT_COLUMNS = {
    "buses": "buses",
    "requests_per_second": "requests / s",
    "empty_route_per_second": "empty route / s",
    "ratio": "ratio",
    "server_us": "µs",
    "empty_route_us": "empty route µs",
    "p50_ms": "p50 ms",
    "p99_ms": "p99 ms",
}
_BULK_COLUMNS = {"form": "form", "seconds": "s", "added_mb": "added MB", "body_mb": "body MB"}
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
