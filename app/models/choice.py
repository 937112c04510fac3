"""What is stored with a model of the automatic choice beside its arrays."""

from typing import Final

import ml
from app.storage.documents import BaselinesDocument
from ml.arrays import FloatArray

NOT_COMPARED: Final[BaselinesDocument] = {
    "seconds_allowed": 0,
    "omitted": "the automatic choice compared its own candidates; see `selection`",
    "items": [],
}
"""Report on the baselines: the candidates of the search take their place."""


def measure_choice(
    graph: ml.Graph, split: ml.Split, probabilities: FloatArray
) -> dict[str, ml.Metrics]:
    """Return the figures: out of fold on the known buses, and on the test buses if there are any.

    The answers for known buses are out of fold, so no label judges a model that learnt it.

    Shapes: probabilities (N, K).
    """
    out_of_fold = ml.evaluate(probabilities, graph.labels, split.train)
    tested = len(split.test) > 0
    test = ml.evaluate(probabilities, graph.labels, split.test) if tested else out_of_fold
    return {"train": out_of_fold, "validation": out_of_fold, "test": test}
