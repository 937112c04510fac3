"""Chooses the model that answers and returns its predictions for one bus or for all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from app.errors import BusNotFound, ModelNotFound, NoModelYet
from app.graphs.service import get_graph, get_label_set, load_grid
from app.grid.grid import UNKNOWN_CLASS, Grid
from app.jobs.service import list_jobs
from app.jobs.states import JobState
from app.models import service as models
from app.models.predictions import PART_NAMES, Answers, Predictions, find_known
from app.predict.schemas import PredictionColumns, PredictionOut
from app.storage.cache import BoundedCache
from ml.arrays import IntArray

_DECIMALS = 6
_LAST_PROMOTED = "the last promoted of {} active models"
_ONLY_GRID = "the only grid with an active model that has this bus"
_MOST_SEARCHED = 8
"""Grids searched for a bus that the chosen grid lacks; jobs searched for a model in training."""
_TRUTHS_REMEMBERED = 32
_truths: BoundedCache[IntArray] = BoundedCache(_TRUTHS_REMEMBERED)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model, grid and label set that a request names; None where it names none."""

    graph_id: str | None = None
    model_id: str | None = None
    label: str | None = None


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """The predictions of the model that answers, its grid, and why it was chosen."""

    predictions: Predictions
    grid: Grid
    truth: IntArray
    reason: str
    other_graph_ids: tuple[str, ...] = ()
    """Other grids with an active model, if the request did not name a grid."""


def choose_model(session: Session, choice: ModelChoice) -> ChosenModel:
    """Return the model that answers: the one that the request names, else the active one.

    Raises: ModelNotFound, GraphNotFound, NoModelYet.
    """
    others: tuple[str, ...] = ()
    if choice.model_id:
        model_id, reason = _find_named(session, choice)
    else:
        model_id, reason, others = _find_active(session, choice)
    predictions = models.load_predictions(session, model_id)
    grid = load_grid(session, predictions.graph_id)
    truth = _truths.get_or_load(model_id, lambda: _load_truth(session, predictions))
    return ChosenModel(predictions, grid, truth, reason, others)


def predict_bus(session: Session, choice: ModelChoice, text: str) -> PredictionOut:
    """Return the prediction for the bus with this id or name.

    Raises: BusNotFound, and the errors of ``choose_model``.
    """
    model = _prefer_grid_with_bus(session, choose_model(session, choice), text)
    predictions = model.predictions
    bus = _find_bus(session, model, text)
    shares = _round(predictions.probabilities[bus])
    predicted = predictions.class_names[int(np.argmax(predictions.probabilities[bus]))]
    known = _class_name(predictions, int(model.truth[bus]))
    return PredictionOut(
        bus_id=model.grid.bus_ids[bus],
        bus_name=model.grid.bus_names[bus] or None,
        predicted=predicted,
        probabilities=dict(zip(predictions.class_names, shares, strict=True)),
        true_label=known,
        known_label=known,
        answer=predicted if known is None else known,
        source="predicted" if known is None else "known",
        split=PART_NAMES[predictions.parts[bus]],
        label=predictions.label,
        graph_id=predictions.graph_id,
        model_id=predictions.model_id,
        chosen=model.reason,
        warnings=_list_warnings(model),
    )


def _prefer_grid_with_bus(session: Session, model: ChosenModel, text: str) -> ChosenModel:
    """Return the model of another grid if the chosen one lacks the bus and only that has it."""
    if not model.other_graph_ids or model.grid.find_buses(text):
        return model
    having = [
        graph_id
        for graph_id in model.other_graph_ids[:_MOST_SEARCHED]
        if load_grid(session, graph_id).find_buses(text)
    ]
    if len(having) != 1:
        return model
    others = tuple(one for one in model.other_graph_ids if one not in having)
    found = choose_model(session, ModelChoice(graph_id=having[0]))
    return replace(found, reason=_ONLY_GRID, other_graph_ids=others)


def predict_all(session: Session, choice: ModelChoice) -> PredictionColumns:
    """Return the predictions for every bus. Raises: the errors of ``choose_model``."""
    model = choose_model(session, choice)
    predictions = model.predictions
    joined = Answers(np.argmax(predictions.probabilities, axis=1), model.truth)
    return PredictionColumns(
        label=predictions.label,
        graph_id=predictions.graph_id,
        model_id=predictions.model_id,
        chosen=model.reason,
        warnings=_list_warnings(model),
        class_names=predictions.class_names,
        bus_ids=model.grid.bus_ids,
        classes=joined.predicted.tolist(),
        probabilities=_round(predictions.probabilities),
        truth=model.truth.tolist(),
        known_labels=model.truth.tolist(),
        answers=joined.answers.tolist(),
        sources=joined.sources,
        parts=[PART_NAMES[part] for part in predictions.parts],
    )


def _find_named(session: Session, choice: ModelChoice) -> tuple[str, str]:
    model_id = choice.model_id or ""
    graph_id, label = models.get_identity(session, model_id)
    for requested, actual, what in (
        (choice.graph_id, graph_id, "grid"),
        (choice.label, label, "label"),
    ):
        if requested is not None and requested != actual:
            raise ModelNotFound(
                f"Model {model_id!r} belongs to {what} {actual!r}, not to {requested!r}."
            )
    return model_id, "the model named in the request"


def _find_active(session: Session, choice: ModelChoice) -> tuple[str, str, tuple[str, ...]]:
    """Return the id of the last promoted active model, the reason, and the other grids."""
    if choice.graph_id is not None:
        get_graph(session, choice.graph_id)
    candidates = models.list_active(session, choice.graph_id, choice.label)
    if not candidates:
        raise NoModelYet(f"No trained model can answer yet; {_advise(session, choice)}")
    first = candidates[0]
    others = dict.fromkeys(row.graph_id for row in candidates if row.graph_id != first.graph_id)
    count = len(candidates)
    reason = "the only active model" if count == 1 else _LAST_PROMOTED.format(count)
    return first.model_id, reason, tuple(others)


def _advise(session: Session, choice: ModelChoice) -> str:
    """Name the job that is training a model, or the request that starts one."""
    for state in (JobState.RUNNING, JobState.QUEUED):
        rows, _ = list_jobs(session, _MOST_SEARCHED, None, state, choice.graph_id)
        for job in rows:
            if job.kind == "train" and choice.label in (None, job.payload.get("label")):
                return f"job {job.id} is training one ({state}), see GET /jobs/{job.id}."
    return "start a training job with POST /train."


def _load_truth(session: Session, predictions: Predictions) -> IntArray:
    return find_known(predictions, get_label_set(session, predictions.graph_id, predictions.label))


def _find_bus(session: Session, model: ChosenModel, text: str) -> int:
    grid = model.grid
    buses = grid.find_buses(text)
    if len(buses) == 1:
        return buses[0]
    if not buses:
        hint = _suggest_grids(session, model.other_graph_ids, text)
        raise BusNotFound(f"The grid {grid.name!r} has no bus {text!r}.{hint}")
    ids = ", ".join(grid.bus_ids[bus] for bus in buses[:5])
    raise BusNotFound(f"{len(buses)} buses have the name {text!r}; use one of the ids: {ids}.")


def _suggest_grids(session: Session, graph_ids: Sequence[str], text: str) -> str:
    """Name the grids that have the bus, with the query parameter that chooses them."""
    searched = [(graph_id, load_grid(session, graph_id)) for graph_id in graph_ids[:_MOST_SEARCHED]]
    queries = [
        f"?graph_id={graph_id} ({grid.name!r})"
        for graph_id, grid in searched
        if grid.find_buses(text)
    ]
    if not queries:
        return ""
    return f" Other grids with a model have this bus; add {' or '.join(queries)}."


def _class_name(predictions: Predictions, code: int) -> str | None:
    return None if code == UNKNOWN_CLASS else predictions.class_names[code]


def _round(probabilities: Any) -> list[Any]:
    # Through float64: a rounded float32 would be written with all its binary digits.
    values: list[Any] = np.round(probabilities.astype(np.float64), _DECIMALS).tolist()
    return values


def _list_warnings(model: ChosenModel) -> list[str]:
    """Return the warnings of the model, and one if the grid was chosen among several."""
    others = model.other_graph_ids
    if not others or model.reason == _ONLY_GRID:
        return list(model.predictions.warnings)
    warning = (
        f"{len(others) + 1} grids have an active model and the request named none: this answer "
        f"is for the grid {model.grid.name!r}, whose model was promoted last. "
        "Add ?graph_id= to choose the grid."
    )
    return [warning, *model.predictions.warnings]
