from pathlib import Path

import numpy as np
import pytest

from experiments.datasets.grid_tasks import load_task
from experiments.report.levy_plots import draw_all, draw_distances, neighbour_share

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_shows_every_picture(tmp_path: Path) -> None:
    text = (DOCS / "levy.md").read_text()
    for picture in draw_all(tmp_path):
        assert f"(images/{picture.name})" in text
        assert (DOCS / "images" / picture.name).read_text().startswith("<?xml")


def test_long_jumps_appear_only_below_gamma_one() -> None:
    figure = draw_distances(load_task("case118", "role").graph)
    ordinary, *flights = figure.axes[0].lines
    assert (np.asarray(ordinary.get_ydata(), dtype=float) > 0).sum() == 1
    for flight in flights:
        assert (np.asarray(flight.get_ydata(), dtype=float) > 0).all()


def test_an_ordinary_walk_only_reaches_neighbours() -> None:
    grid = load_task("case118", "role").graph
    assert neighbour_share(grid, 1.0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("gamma", "case", "figure"),
    [
        (0.1, "case118", "15 %"),
        (0.1, "activsg500", "12 %"),
        (0.001, "case118", "2.7 %"),
        (0.001, "activsg500", "0.6 %"),
    ],
)
def test_the_figures_of_the_page_are_those_of_the_grids(
    gamma: float, case: str, figure: str
) -> None:
    share = 100 * neighbour_share(load_task(case, "role").graph, gamma)
    digits = len(figure.rstrip(" %").partition(".")[2])
    assert f"{share:.{digits}f} %" == figure
    assert figure in (DOCS / "levy.md").read_text()
