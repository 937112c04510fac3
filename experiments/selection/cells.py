"""One cell of the panel: what a user knows, what is asked, and how an answer is judged."""

from dataclasses import dataclass, replace

import numpy as np

from experiments.selection.grids import LabelledGrid, load_grid
from experiments.selection.levels import LabelLevel, draw_known
from experiments.selection.tasks import LARGE, PanelTask
from ml.arrays import FloatArray, IntArray
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.split import Split
from ml.graph.surroundings import Surroundings

SEEDS, SEEDS_OF_LARGE = 5, 3


@dataclass(frozen=True)
class PanelCell:
    """A task with a number of known labels, drawn with a seed."""

    task: PanelTask
    level: LabelLevel
    seed: int


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """What a user sends: the grid and the known labels, with the classes that occur in them.

    ``truth`` are the classes of the whole task and ``classes`` those of ``graph`` among them.

    Shapes: known (n,), truth (N,), classes (K,).
    """

    graph: Graph
    surroundings: Surroundings
    known: IntArray
    truth: IntArray
    classes: IntArray

    @property
    def split(self) -> Split:
        """All known labels to train on, none to validate or test."""
        nothing = self.known[:0]
        return Split(self.known, nothing, nothing)

    @property
    def tested(self) -> IntArray:
        """Labelled nodes whose label is not known to the user, (t,)."""
        labelled = np.flatnonzero(self.truth != UNLABELLED)
        return np.setdiff1d(labelled, self.known)

    def score(self, probabilities: FloatArray) -> float:
        """Return the fraction of the tested nodes that are right.

        A node of a class without a known label is always wrong. Shapes: (N, K).
        """
        answers = self.classes[probabilities[self.tested].argmax(axis=1)]
        return float((answers == self.truth[self.tested]).mean())


def list_seeds(grid: LabelledGrid) -> range:
    """Return the seeds of a task: fewer on large graphs."""
    return range(SEEDS_OF_LARGE if grid.graph.node_count >= LARGE else SEEDS)


def make_problem(cell: PanelCell) -> KnownLabels:
    """Draw the known labels of a cell and hide all others."""
    grid = load_grid(cell.task)
    graph, groups = grid.graph, grid.surroundings.groups
    known = draw_known(graph.labels, groups, cell.task, cell.level, cell.seed)
    classes, places = np.unique(graph.labels[known], return_inverse=True)
    labels = np.full_like(graph.labels, UNLABELLED)
    labels[known] = places
    names = tuple(graph.class_names[one] for one in classes) if graph.class_names else ()
    seen = replace(graph, labels=labels, class_names=names)
    return KnownLabels(seen, grid.surroundings, known, graph.labels, classes)
