"""What an epoch of LFGCN is made of: the filters, the censored view, the network around them."""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from ml.training.loop import Optimisation

_REPEATS = 5


def measure_parts(optimisation: Optimisation) -> dict[str, float]:
    """Time what one epoch asks of the filter, and the making of a censored view, in ms.

    ``filter_ms`` is one filtering of the features, and one of all branches and classes forward
    at the training nodes and back; ``view_ms`` is one censored view, made in this thread.
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
