"""A graph with its splits, and the lookup of data sets by name."""

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

Drawing = Literal["random", "stratified"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph, the split that its authors published if any, and how other splits are drawn."""

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


def find_data_folder() -> Path | None:
    """Return the folder named by LEVYGRID_DATASETS_DIR, or ``None`` if it names none."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    return Path(folder) if folder else None


def find_file(folder: Path, name: str, source: str) -> Path:
    """Return the path of a data file.

    Raises: DatasetUnavailable with the place where the file can be downloaded.
    """
    path = folder / name
    if not path.is_file():
        raise DatasetUnavailable(f"{name} is not in {folder}; {source}")
    return path


def load_dataset(name: str) -> Dataset:
    """Return a data set by its name; each process reads it once.

    Raises: DatasetUnavailable if the name is unknown, its file is absent or its folder is not set.
    """
    return _load(name, find_data_folder())


@cache
def _load(name: str, folder: Path | None) -> Dataset:
    from experiments.datasets import grid_tasks

    if name in grid_tasks.LOADERS:
        return grid_tasks.LOADERS[name]()
    readers = _file_readers()
    if name not in readers:
        known = ", ".join([*readers, *grid_tasks.LOADERS])
        raise DatasetUnavailable(f"no data set is called {name}; there are {known}")
    if folder is None:
        raise DatasetUnavailable(
            f"{name} is skipped because no data folder is set. Set {FOLDER_VARIABLE} (or pass "
            "--data) to the folder with its file"
        )
    return readers[name](folder)


def _file_readers() -> dict[str, Callable[[Path], Dataset]]:
    """Return the readers of the data sets that are files of the data folder."""
    from experiments.datasets import directed_citation, paper_grids, planetoid

    return {**paper_grids.LOADERS, **planetoid.LOADERS, **directed_citation.LOADERS}
