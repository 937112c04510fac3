"""Table "sensitivity": accuracy of LFGCN on IEEE 118 over alpha, sigma and gamma."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from experiments.methods import MethodRow
from experiments.report.charts import Line, line_chart
from experiments.report.comparison import summarise
from experiments.runs import Cell, read_runs
from experiments.tables.table import CellJob, ResultTable
from ml.arrays import FloatArray

ALPHAS = tuple(round(0.1 * step, 1) for step in range(1, 10))
SIGMAS = tuple(round(0.1 * step, 1) for step in range(11))
FIGURE_SIGMAS = {0.0: "PR", 0.5: "NL", 1.0: "SL"}
FIGURE_GAMMAS = (0.001, 0.01, 0.1, 1.0)
SMALL_GAMMAS = tuple(round(0.001 * step, 3) for step in range(1, 11))
ALPHA_SEEDS, GRID_SEEDS = 3, 10


def _cell(name: str) -> Cell:
    return Cell("sensitivity", "ieee118", "published", name)


def _job(name: str, changes: dict[str, Any], seeds: int) -> CellJob:
    row = MethodRow(
        key=name, title=name, method="lfgcn", based_on="lfgcn_whole", changes=changes, kind="ours"
    )
    return CellJob(_cell(name), row, seeds)


def alpha_name(sigma: float, gamma: float, alpha: float) -> str:
    """Return the name of a cell of the first figure."""
    return f"sigma-{sigma}_gamma-{gamma}_alpha-{alpha}"


def grid_name(sigma: float, gamma: float) -> str:
    """Return the name of a cell of the second figure; alpha is the tuned one."""
    return f"sigma-{sigma}_gamma-{gamma}"


def list_jobs() -> list[CellJob]:
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
    runs = read_runs(_cell(name), results)
    return summarise(runs).mean if runs else None


def draw(results: Path) -> dict[str, str]:
    """Return the charts of both figures as SVG, by file name."""
    charts = {}
    for gamma in FIGURE_GAMMAS:
        if curves := _alpha_curves(gamma, results):
            title = f"LFGCN on IEEE 118, gamma = {gamma}"
            chart = line_chart(title, "alpha", "accuracy (%)", curves)
            charts[_alpha_file(gamma)] = chart
    for file, samples in _density_samples(results).items():
        if samples:
            curves = [_gaussian(title, means) for title, means in samples.items()]
            charts[file] = line_chart("fitted Gaussians", "accuracy (%)", "density", curves)
    return charts


def render(results: Path) -> list[str]:
    """Return the lines of the page that show the charts."""
    lines = ["Accuracy as a function of alpha (the paper's first figure):", ""]
    for gamma in FIGURE_GAMMAS:
        if _alpha_curves(gamma, results):
            lines.append(f"![accuracy over alpha at gamma {gamma}](images/{_alpha_file(gamma)})")
        else:
            lines.append(f"- gamma = {gamma}: not run.")
    lines += ["", "Spread of the mean accuracy (the paper's second figure):", ""]
    for file, samples in _density_samples(results).items():
        if not samples:
            lines += [f"- {file.removesuffix('.svg')}: not run.", ""]
            continue
        lines += [f"![fitted Gaussians](images/{file})", ""]
        for title, means in samples.items():
            centre, deviation = _fit(means)
            lines.append(f"- {title}: {centre:.2f} ({deviation:.2f}) over {len(means)} settings")
        lines.append("")
    return lines


def _alpha_file(gamma: float) -> str:
    return f"sensitivity-alpha-gamma-{gamma}.svg"


def _alpha_curves(gamma: float, results: Path) -> list[Line]:
    """Return one curve per sigma: mean accuracy over the values of alpha that were run."""
    curves = []
    for sigma, title in FIGURE_SIGMAS.items():
        means = {alpha: _mean(alpha_name(sigma, gamma, alpha), results) for alpha in ALPHAS}
        points = {alpha: mean for alpha, mean in means.items() if mean is not None}
        if points:
            curves.append(Line(title, list(points), list(points.values())))
    return curves


def _density_samples(results: Path) -> dict[str, dict[str, FloatArray]]:
    """Return the mean accuracies of each fitted Gaussian, by chart and by curve."""
    grid = {(s, g): _mean(grid_name(s, g), results) for s in SIGMAS for g in SMALL_GAMMAS}
    groups = {
        "sensitivity-sigma.svg": {
            f"sigma = {s}": [grid[s, g] for g in SMALL_GAMMAS] for s in FIGURE_SIGMAS
        },
        "sensitivity-gamma.svg": {
            f"gamma = {g}": [grid[s, g] for s in SIGMAS] for g in (0.001, 0.005, 0.01)
        },
    }
    samples: dict[str, dict[str, FloatArray]] = {}
    for file, curves in groups.items():
        known = {
            title: np.array([mean for mean in means if mean is not None])
            for title, means in curves.items()
        }
        samples[file] = {title: means for title, means in known.items() if len(means) > 1}
    return samples


def _fit(means: FloatArray) -> tuple[float, float]:
    """Return mean and deviation, the latter large enough to be drawn."""
    return float(means.mean()), max(float(means.std(ddof=1)), 1e-3)


def _gaussian(title: str, means: FloatArray) -> Line:
    centre, deviation = _fit(means)
    x = np.linspace(centre - 4 * deviation, centre + 4 * deviation, 81)
    return Line(title, x.tolist(), stats.norm.pdf(x, centre, deviation).tolist())


TABLE = ResultTable(
    name="sensitivity",
    title="Sensitivity to alpha, sigma and gamma (IEEE 118)",
    columns=(),
    methods=(),
    extra_jobs=list_jobs,
    render=render,
    draw=draw,
)
