"""Automatic choice: the method, or ensemble, with the best out-of-fold score."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.config.field import setting
from ml.config.settings import MethodSettings
from ml.errors import Fault, InvalidGraph
from ml.graph.graph import Graph
from ml.methods.base import Method

REFITTED = "refitted"
"""Array with the answers of the model that knows every label, (N, K)."""
HELD_OUT = "held_out"
"""Array with the out-of-fold answers for the nodes with a known label, (n, K)."""


@dataclass(frozen=True, kw_only=True)
class AutoSettings(MethodSettings):
    """How long the search may take."""

    method: ClassVar[str] = "auto"

    budget_seconds: float | None = setting(
        None,
        "Seconds that the search for the best method may take; null: chosen by the grid size.",
        "(0, 86400]",
    )


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Return the answers of the model refitted on all labels, (N, K).

    Raises: InvalidGraph on any graph but the one it was made for.
    """
    if graph.content_hash != artifact.manifest["graph_hash"]:
        problem = "the automatic choice was made for its own graph and does not apply to another"
        raise InvalidGraph([Fault("graph", problem)])
    return np.asarray(artifact.tensors()[REFITTED])


def read_answers(artifact: Artifact) -> FloatArray:
    """Return what the model answers: out of fold where it knows the label, else refitted.

    Shapes: (N, K).
    """
    tensors = artifact.tensors()
    answers = np.array(tensors[REFITTED])
    answers[np.sort(artifact.manifest["split"]["train"])] = tensors[HELD_OUT]
    return answers


METHOD = Method(
    key="auto",
    title="Automatic choice",
    description="the method with the best out-of-fold score on the known labels",
    settings=AutoSettings,
    predict=predict,
)
