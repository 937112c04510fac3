"""Explains the prediction for one bus by the stored model that answers."""

from sqlalchemy.orm import Session

import ml
from app.errors import LabelNotFound, Rejected, TooManyExplanations
from app.graphs.service import get_label_set, read_surroundings, to_ml_graph
from app.http.admission import AdmissionLimit
from app.models import service as models
from app.models.predictions import PART_NAMES
from app.predict.answers import ChosenModel, describe_model
from app.predict.explain.answer import COMMON, ExplainedBus
from app.predict.service import ModelChoice, find_model_and_bus
from app.storage.cache import BoundedCache

_MODELS_REMEMBERED = 2
"""Each keeps up to four factorisations, which are large for large grids."""
_explainers: BoundedCache[ml.Explainer] = BoundedCache(_MODELS_REMEMBERED)
_admission = AdmissionLimit(concurrent=2, admitted=8)
"""Two threads at most: a factorisation of a large grid takes seconds."""


def explain_bus(session: Session, choice: ModelChoice, text: str) -> ExplainedBus:
    """Return why the model answers as it does for the bus with this id or name.

    Raises: BusNotFound, TooManyExplanations, and the errors of ``choose_model``.
    """
    model, bus = find_model_and_bus(session, choice, text)
    refusal = TooManyExplanations("Too many explanations are being computed; try again soon.")
    with _admission.admit(refusal):
        explainer, problem = _find_explainer(session, model)
        described = describe_model(model)
        explanation = None
        if explainer is not None:
            explanation = explainer.explain(bus, model.predictions.probabilities[bus])
        return ExplainedBus(
            grid=model.grid,
            bus=bus,
            class_names=model.predictions.class_names,
            known=model.truth,
            is_trained=PART_NAMES[model.predictions.parts[bus]] == "train",
            stored=model.predictions.probabilities[bus],
            common={name: described[name] for name in COMMON},
            explanation=explanation,
            problem=problem,
        )


def _find_explainer(session: Session, model: ChosenModel) -> tuple[ml.Explainer | None, str | None]:
    """Return the explainer of a model, or the reason why there is none."""
    model_id = model.predictions.model_id
    known = _explainers.find(model_id)
    if known is not None:
        return known, None
    row = models.get_model(session, model_id)
    manifest = row.manifest
    try:
        label_set = get_label_set(session, row.graph_id, row.label, row.label_version)
        graph = to_ml_graph(model.grid, label_set, manifest.get("feature_names"))
    except (LabelNotFound, Rejected):
        return None, "the labels or columns that the model has learnt from are no longer stored"
    split = ml.read_split(manifest)
    is_same = (graph.content_hash, graph.label_hash) == (
        manifest.get("graph_hash"),
        manifest.get("label_hash"),
    )
    if not is_same or split is None or not _fits(split, graph):
        return None, "the grid or the labels are not those that the model was made with"
    artifact = ml.load_artifact(models.load_weights(session, model_id), manifest)
    explainer = ml.Explainer(artifact, graph, split, read_surroundings(model.grid))
    return _explainers.get_or_load(model_id, lambda: explainer), None


def _fits(split: ml.Split, graph: ml.Graph) -> bool:
    """Return whether a split names training buses, and only buses of the grid."""
    train = split.train
    return len(train) > 0 and bool((train >= 0).all() and (train < graph.node_count).all())
