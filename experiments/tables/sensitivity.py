"""Table "sensitivity": accuracy of LFGCN on IEEE 118 over alpha, sigma and gamma."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from experiments.methods import Contender
from experiments.report.charts import Line, line_chart
from experiments.report.comparison import summarise
from experiments.runs import Cell, read_cell
from experiments.tables.table import Job, Table

ALPHAS = tuple(round(0.1 * step, 1) for step in range(1, 10))
SIGMAS = tuple(round(0.1 * step, 1) for step in range(11))
FIGURE_SIGMAS = {0.0: "PR", 0.5: "NL", 1.0: "SL"}
FIGURE_GAMMAS = (0.001, 0.01, 0.1, 1.0)
SMALL_GAMMAS = tuple(round(0.001 * step, 3) for step in range(1, 11))
ALPHA_SEEDS, GRID_SEEDS = 3, 10


def _job(name: str, changes: dict[str, Any], seeds: int) -> Job:
    contender = Contender(
        key=name, title=name, method="lfgcn", based_on="lfgcn_whole", changes=changes, kind="ours"
    )
    return Job(Cell("sensitivity", "ieee118", "published", name), contender, seeds)


def alpha_name(sigma: float, gamma: float, alpha: float) -> str:
    """Return the name of a cell of the first figure."""
    return f"sigma-{sigma}_gamma-{gamma}_alpha-{alpha}"


def grid_name(sigma: float, gamma: float) -> str:
    """Return the name of a cell of the second figure; alpha is the frozen one."""
    return f"sigma-{sigma}_gamma-{gamma}"


def list_jobs() -> list[Job]:
    """Return the cells of both figures."""
    first = [
        _job(
            alpha_name(sigma, gamma, alpha),
            {"sigma": sigma, "gamma": gamma, "alpha": alpha, "drop_edge": "preferential"},
            ALPHA_SEEDS,
        )
        for gamma in FIGURE_GAMMAS
        for sigma in FIGURE_SIGMAS
        for alpha in ALPHAS
    ]
    second = [
        _job(
            grid_name(sigma, gamma),
            {"sigma": sigma, "gamma": gamma, "drop_edge": "preferential"},
            GRID_SEEDS,
        )
        for gamma in SMALL_GAMMAS
        for sigma in SIGMAS
    ]
    return [*first, *second]


def _mean(name: str, results: Path) -> float | None:
    runs = read_cell(Cell("sensitivity", "ieee118", "published", name), results)["runs"]
    return summarise(runs).mean if runs else None


def render(results: Path) -> list[str]:
    """Return the lines of the document, and write the figures beside the results."""
    return [*_alpha_figures(results), *_density_figures(results)]


def _alpha_figures(results: Path) -> list[str]:
    lines = []
    for gamma in FIGURE_GAMMAS:
        curves = []
        for sigma, title in FIGURE_SIGMAS.items():
            found = [(a, _mean(alpha_name(sigma, gamma, a), results)) for a in ALPHAS]
            known = [(a, mean) for a, mean in found if mean is not None]
            if known:
                curves.append(Line(title, [a for a, _ in known], [m for _, m in known]))
        if not curves:
            lines.append(f"- gamma = {gamma}: not run.")
            continue
        file = f"alpha_gamma_{gamma}.svg"
        title = f"LFGCN on IEEE 118, gamma = {gamma}"
        _write(results, file, line_chart(title, "alpha", "accuracy (%)", curves))
        lines.append(f"![accuracy over alpha at gamma {gamma}](results/sensitivity/{file})")
    return ["Accuracy as a function of alpha (the paper's first figure):", "", *lines, ""]


def _density_figures(results: Path) -> list[str]:
    grid = {(s, g): _mean(grid_name(s, g), results) for s in SIGMAS for g in SMALL_GAMMAS}
    by_sigma = {f"sigma = {s}": [grid[s, g] for g in SMALL_GAMMAS] for s in FIGURE_SIGMAS}
    by_gamma = {f"gamma = {g}": [grid[s, g] for s in SIGMAS] for g in (0.001, 0.005, 0.01)}
    lines = ["Spread of the mean accuracy (the paper's second figure):", ""]
    for file, groups in (("density_sigma.svg", by_sigma), ("density_gamma.svg", by_gamma)):
        lines += _density_figure(results, file, groups)
    return lines


def _density_figure(results: Path, file: str, groups: dict[str, list[float | None]]) -> list[str]:
    curves, texts = [], []
    for title, values in groups.items():
        known = np.array([value for value in values if value is not None])
        if len(known) < 2:
            continue
        centre, spread = known.mean(), max(known.std(ddof=1), 1e-3)
        x = np.linspace(centre - 4 * spread, centre + 4 * spread, 81)
        curves.append(Line(title, x.tolist(), stats.norm.pdf(x, centre, spread).tolist()))
        texts.append(f"- {title}: {centre:.2f} ({spread:.2f}) over {len(known)} settings")
    if not curves:
        return [f"- {file.removesuffix('.svg')}: not run.", ""]
    _write(results, file, line_chart("fitted Gaussians", "accuracy (%)", "density", curves))
    return [f"![{file}](results/sensitivity/{file})", "", *texts, ""]


def _write(results: Path, file: str, chart: str) -> None:
    path = results / "sensitivity" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(chart, encoding="utf-8")


TABLE = Table(
    name="sensitivity",
    title="Sensitivity to alpha, sigma and gamma (IEEE 118)",
    columns=(),
    methods=(),
    extra=list_jobs,
    render=render,
)
