"""The six closed forms SL, NL, PR, FSL, FNL, FPR: known labels spread over the whole graph."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.config.field import setting
from ml.config.settings import MethodSettings, NetworkSettings
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.levy.closed_forms import closed_form
from ml.methods import stored_scores
from ml.methods.base import Choices, Method

FormName = Literal["SL", "NL", "PR", "FSL", "FNL", "FPR"]

MOST_FRACTIONAL_NODES = 2000
"""Above this the fractional closed forms take longer than a comparison should."""
_ALPHAS = (0.5, 0.9, 0.99)
_GAMMAS = (0.1, 0.5)


@dataclass(frozen=True, kw_only=True)
class ClosedFormSettings(MethodSettings):
    """Which of the six forms, its reach and its Lévy exponent."""

    method: ClassVar[str] = "closed_form"

    name: FormName = setting("NL", "One of the paper's six closed forms; F: with Lévy flights.")
    alpha: float = setting(0.9, "Reach of the spread labels.", "(0, 1)")
    gamma: float = setting(1.0, "Lévy exponent; 1: steps to neighbours only.", "(0, 1]")


def fit(graph: Graph, split: Split, settings: ClosedFormSettings) -> tuple[FloatArray, Tensors]:
    """Spread the training labels by the form named in the settings.

    Equation: Eqs. (eq_gssl) and (fractional_closed_form), see ``ml.levy.closed_forms``.
    Shapes: (N, K), rows sum to one.
    """
    form = closed_form(settings.name, settings.alpha, settings.gamma)
    scores = form.probabilities(graph, split.train)
    return scores, {"scores": scores}


def list_forms(graph: Graph, _config: NetworkSettings) -> Choices:
    """Return the forms worth comparing on a graph of this size."""
    ordinary = [{"name": name, "alpha": alpha} for name in ("SL", "NL", "PR") for alpha in _ALPHAS]
    fractional = [
        {"name": f"F{form['name']}", "alpha": form["alpha"], "gamma": gamma}
        for form in ordinary
        for gamma in _GAMMAS
    ]
    small = graph.node_count <= MOST_FRACTIONAL_NODES
    return [{"gamma": 1.0, **form} for form in [*ordinary, *(fractional if small else [])]]


METHOD = Method(
    key="closed_form",
    title="Closed form",
    description="known labels spread over the grid by a closed form",
    settings=ClosedFormSettings,
    published={"name": "NL", "alpha": 0.9, "gamma": 1.0},
    fit=fit,
    predict=stored_scores.predict,
    list_arrays=stored_scores.list_arrays,
    list_array_faults=stored_scores.list_array_faults,
    baseline_choices=list_forms,
    automatic=True,
)
