"""A graph with what an experiment has to know about it, and the lookup by name."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ml.errors import DatasetUnavailable
from ml.graph.graph import Graph
from ml.graph.split import Split, random_split, stratified_split

FOLDER_VARIABLE = "LEVYGRID_DATASETS_DIR"
DEFAULT_FOLDER = Path("../shared/data")

Drawing = Literal["random", "stratified"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph, the split its authors published if any, and how further ones are drawn."""

    name: str
    title: str
    graph: Graph
    published: Split | None = None
    drawing: Drawing = "random"
    note: str = ""

    def draw_split(self, seed: int) -> Split:
        """Draw the 10/20/70 split of a seed."""
        draw = random_split if self.drawing == "random" else stratified_split
        return draw(self.graph.labels, seed)


def data_folder() -> Path:
    """Return the folder named by LEVYGRID_DATASETS_DIR, else ``../shared/data``."""
    return Path(os.environ.get(FOLDER_VARIABLE, str(DEFAULT_FOLDER)))


def find_file(folder: Path, name: str, source: str) -> Path:
    """Return the path of a data file.

    Raises: DatasetUnavailable saying where the file can be had.
    """
    path = folder / name
    if not path.is_file():
        raise DatasetUnavailable(f"{name} is not in {folder}; {source}")
    return path


def load_dataset(name: str) -> Dataset:
    """Return a data set by its name; read once a process.

    Raises: DatasetUnavailable if there is none of that name, or its file is absent.
    """
    return _load(name, data_folder())


@cache
def _load(name: str, folder: Path) -> Dataset:
    loaders = _loaders()
    if name not in loaders:
        raise DatasetUnavailable(f"no data set is called {name}; there are {', '.join(loaders)}")
    return loaders[name](folder)


def _loaders() -> dict[str, Callable[[Path], Dataset]]:
    from experiments.datasets import directed_citation, grid_tasks, paper_grids, planetoid

    return {
        **paper_grids.LOADERS,
        **planetoid.LOADERS,
        **directed_citation.LOADERS,
        **grid_tasks.LOADERS,
    }
