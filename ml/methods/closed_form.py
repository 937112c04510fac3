"""The six closed forms SL, NL, PR, FSL, FNL, FPR as rivals of the network."""

from typing import Any

from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.levy.closed_forms import closed_form

PUBLISHED: dict[str, Any] = {"name": "NL", "alpha": 0.9, "gamma": 1.0}


def classify(graph: Graph, split: Split, settings: dict[str, Any], _seed: int) -> FloatArray:
    """Spread the training labels by the form named in the settings.

    Equation: Eqs. (eq_gssl) and (fractional_closed_form), see ``ml.levy.closed_forms``.
    Shapes: (N, K), rows sum to one.
    """
    form = closed_form(settings["name"], settings["alpha"], settings["gamma"])
    return form.probabilities(graph, split.train)
