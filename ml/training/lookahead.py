"""Views of censored graphs, made ready for the next epoch while this one computes."""

import copy
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from ml.arrays import IntArray
from ml.drop_edge.dropper import EdgeDropper


class Lookahead:
    """Draws the edges of an epoch and has the next epoch's view made by another thread.

    Deviation: the next draw is taken from a copy of the generator, whose own state a
        checkpoint then saves as if nobody had looked ahead. What is made depends on that
        draw alone, not on when it is done, so results do not depend on timing.
    """

    def __init__(self, dropper: EdgeDropper, make_view: Callable[[IntArray], Any]) -> None:
        self._dropper = dropper
        self._make_view = make_view
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lookahead")
        self._expected: tuple[IntArray, Future[Any]] | None = None

    def view_of(self, positions: IntArray) -> Any:
        """Return the view of the graph without the edges at these positions, (k,)."""
        if self._expected is not None and np.array_equal(self._expected[0], positions):
            return self._expected[1].result()
        return self._make_view(self._dropper.pairs[positions])

    def expect_next(self, generator: np.random.Generator) -> None:
        """Have the view made of the edges that the generator will draw next."""
        positions = self._dropper.draw(copy.deepcopy(generator))
        if len(positions):
            pairs = self._dropper.pairs[positions]
            self._expected = (positions, self._thread.submit(self._make_view, pairs))
