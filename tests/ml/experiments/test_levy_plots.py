from pathlib import Path

import pytest

from ml.datasets.grid_tasks import load_task
from ml.experiments.levy_plots import draw_all, neighbour_share


def test_the_text_shows_every_picture_and_each_is_there(tmp_path: Path) -> None:
    docs = Path(__file__).parents[3] / "docs"
    text = (docs / "levy.md").read_text()
    for picture in draw_all(tmp_path):
        assert f"(images/{picture.name})" in text
        assert (docs / "images" / picture.name).read_text().startswith("<?xml")


def test_drawing_twice_gives_equal_files(tmp_path: Path) -> None:
    for first, second in zip(draw_all(tmp_path / "a"), draw_all(tmp_path / "b"), strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_an_ordinary_walk_only_reaches_neighbours() -> None:
    grid = load_task("case118", "role", Path()).graph
    assert neighbour_share(grid, 1.0) == pytest.approx(1)


def test_the_figures_of_the_text_are_those_of_the_grids() -> None:
    text = (Path(__file__).parents[3] / "docs" / "levy.md").read_text()
    for gamma, case, figure in (
        (0.1, "case118", "15 %"),
        (0.1, "activsg500", "12 %"),
        (0.001, "case118", "2.7 %"),
        (0.001, "activsg500", "0.6 %"),
    ):
        share = 100 * neighbour_share(load_task(case, "role", Path()).graph, gamma)
        digits = len(figure.rstrip(" %").partition(".")[2])
        assert f"{share:.{digits}f} %" == figure
        assert figure in text
