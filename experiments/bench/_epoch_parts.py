"""Parts of an epoch of LFGCN: the filters and the construction of a reduced graph."""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from ml.training.loop import Optimisation

_REPEATS = 5


def measure_parts(optimisation: Optimisation) -> dict[str, float]:
    """Time the filters of one epoch and the construction of one reduced graph, in ms.

    ``filter_ms`` is one filtering of the features plus one forward and backward filtering of all
    parallel paths and classes at the training nodes. ``view_ms`` is the operator of one graph
    with dropped edges, built in this thread.
    """
    task, config = optimisation.task, optimisation.config
    whole = task.views.whole()
    columns = config.path_count * (int(task.labels.max()) + 1)
    hidden = torch.randn(len(task.labels), columns, requires_grad=True)

    def filter_once() -> None:
        whole.apply(task.features)
        whole.apply_at(hidden, task.train).sum().backward()

    generator = np.random.default_rng(0)
    parts = {"filter_ms": _median_ms(filter_once)}
    dropper = task.dropper
    if dropper is not None:
        pairs = dropper.pairs
        draw = dropper.draw
        parts["view_ms"] = _median_ms(lambda: task.views.censored(pairs[draw(generator)]))
    return parts


def _median_ms(task: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS + 1):
        before = time.perf_counter()
        task()
        times.append(time.perf_counter() - before)
    return round(1e3 * statistics.median(times[1:]), 3)
