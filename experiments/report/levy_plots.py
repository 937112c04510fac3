"""The pictures of docs/levy.md: Lévy flights on a power grid."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csgraph

from experiments.datasets.grid_tasks import load_task
from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.levy.dense import transition_matrix

if TYPE_CHECKING:
    from matplotlib.figure import Figure

START = 68
"""Position of bus 69 of IEEE 118, its reference bus."""
GAMMAS = (1.0, 0.5, 0.1, 0.01)


def draw_all(folder: Path) -> Iterator[Path]:
    """Write every picture as SVG; equal inputs give equal files."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "levygrid", "font.size": 9, "svg.fonttype": "none"})
    folder.mkdir(parents=True, exist_ok=True)
    grid = load_task("case118", "role").graph
    pictures = {
        "flights-on-ieee118": draw_flights(grid),
        "flights-by-distance": draw_distances(grid),
        "jumps-to-neighbours": draw_neighbour_share(),
    }
    for name, figure in pictures.items():
        path = folder / f"{name}.svg"
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        yield path


def draw_flights(grid: Graph) -> "Figure":
    """Draw the end points of one jump from a bus of IEEE 118, for gamma 1 and 0.1."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    places = _layout(grid)
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    panels = figure.subplots(1, 2)
    norm = LogNorm(1e-3, 0.5)
    for panel, gamma in zip(panels, (1.0, 0.1), strict=True):
        jumps = transition_matrix(grid.adjacency, gamma)[START]
        for one, other in grid.pairs:
            panel.plot(*places[[one, other]].T, color="#cccccc", linewidth=0.6, zorder=1)
        reached = jumps > 0
        shown = panel.scatter(
            *places[reached].T, c=jumps[reached], s=22, norm=norm, cmap="viridis", zorder=2
        )
        panel.scatter(*places[~reached].T, s=6, color="#bbbbbb", zorder=2)
        panel.scatter(*places[START], s=60, marker="*", color="crimson", zorder=3)
        panel.set_title(f"gamma = {gamma:g}")
        panel.set_axis_off()
    figure.colorbar(shown, ax=panels, label="probability of the jump", shrink=0.8)
    return figure


def draw_distances(grid: Graph) -> "Figure":
    """Draw the probability of a jump over its length, for several gamma."""
    from matplotlib.figure import Figure

    hops = csgraph.shortest_path(grid.adjacency, unweighted=True, indices=START)
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    panel = figure.subplots()
    for gamma in GAMMAS:
        jumps = transition_matrix(grid.adjacency, gamma)[START]
        reach = [jumps[hops == hop].sum() for hop in range(1, int(hops.max()) + 1)]
        visible = [value if value > 0 else np.nan for value in reach]
        panel.semilogy(range(1, len(reach) + 1), visible, "o-", ms=3, label=f"gamma = {gamma:g}")
    panel.set_xlabel("length of the jump in lines")
    panel.set_ylabel("probability")
    panel.legend()
    return figure


def draw_neighbour_share() -> "Figure":
    """Draw the share of jumps that end at a direct neighbour over gamma, for two grids."""
    from matplotlib.figure import Figure

    gammas = np.geomspace(1e-3, 1, 13)
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    panel = figure.subplots()
    for case in ("case118", "activsg500"):
        grid = load_task(case, "role").graph
        shares = [100 * neighbour_share(grid, float(gamma)) for gamma in gammas]
        panel.semilogx(gammas, shares, "o-", ms=3, label=f"{case} ({grid.node_count} buses)")
    panel.set_xlabel("gamma")
    panel.set_ylabel("jumps to a direct neighbour, %")
    panel.legend()
    return figure


def neighbour_share(grid: Graph, gamma: float) -> float:
    """Return the mean probability that a jump ends at a node connected by an edge."""
    adjacent = grid.adjacency.toarray() > 0
    return float((transition_matrix(grid.adjacency, gamma) * adjacent).sum(axis=1).mean())


def _layout(grid: Graph) -> FloatArray:
    import igraph

    drawn = igraph.Graph(grid.node_count, grid.pairs.tolist())
    return np.array(drawn.layout_kamada_kawai().coords)
