"""Which model answers, and what it says of a bus or of all buses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from app.errors import BusNotFound, ModelNotFound, NoModelYet
from app.graphs.service import get_graph, load_grid
from app.grid.grid import UNKNOWN_CLASS, Grid
from app.jobs.service import list_jobs
from app.jobs.states import JobState
from app.labels.service import get_label_set
from app.models import service as models
from app.models.predictions import PART_NAMES, Predictions
from app.storage.cache import BoundedCache
from ml.arrays import IntArray

_DECIMALS = 6
_LAST_PROMOTED = "of {} active models the one promoted last"
_MOST_SEARCHED = 8
"""Grids looked through for a bus that the chosen one lacks, and jobs for a model to come."""
_TRUTHS_REMEMBERED = 32
_truths: BoundedCache[IntArray] = BoundedCache(_TRUTHS_REMEMBERED)


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that a client has named or left to us, by any of its properties."""

    graph_id: str | None = None
    model_id: str | None = None
    label: str | None = None


@dataclass(frozen=True, eq=False)
class Answering:
    """The model that answers, its grid, the known classes, and why it was chosen."""

    predictions: Predictions
    grid: Grid
    truth: IntArray
    chosen: str
    other_graph_ids: tuple[str, ...] = ()
    """Grids that could have answered too, because the client named none."""


def choose_model(session: Session, choice: Choice) -> Answering:
    """Find the model that answers: the named one, else the active one.

    Raises: ModelNotFound, GraphNotFound, NoModelYet.
    """
    others: tuple[str, ...] = ()
    if choice.model_id:
        model_id, chosen = _named(session, choice)
    else:
        model_id, chosen, others = _active(session, choice)
    predictions = models.load_predictions(session, model_id)
    grid = load_grid(session, predictions.graph_id)
    truth = _truths.get_or_load(model_id, lambda: _load_truth(session, predictions))
    return Answering(predictions, grid, truth, chosen, others)


def predict_bus(session: Session, choice: Choice, text: str) -> dict[str, Any]:
    """Return what the model says of one bus.

    Raises: BusNotFound, naming the grids that have it if one was left to us, and what
    ``choose_model`` raises.
    """
    answering = choose_model(session, choice)
    predictions = answering.predictions
    bus = _find_bus(session, answering, text)
    shares = _rounded(predictions.probabilities[bus])
    return {
        "bus_id": answering.grid.bus_ids[bus],
        "bus_name": answering.grid.bus_names[bus] or None,
        "predicted": predictions.class_names[int(np.argmax(predictions.probabilities[bus]))],
        "probabilities": dict(zip(predictions.class_names, shares, strict=True)),
        "true_label": _class_name(predictions, int(answering.truth[bus])),
        "split": PART_NAMES[predictions.parts[bus]],
        **_origin(answering),
    }


def predict_all(session: Session, choice: Choice) -> dict[str, Any]:
    """Return what the model says of every bus, as columns; see ``PredictionColumnsOut``."""
    answering = choose_model(session, choice)
    predictions = answering.predictions
    return {
        **_origin(answering),
        "class_names": predictions.class_names,
        "bus_ids": answering.grid.bus_ids,
        "classes": np.argmax(predictions.probabilities, axis=1).tolist(),
        "probabilities": _rounded(predictions.probabilities),
        "truth": answering.truth.tolist(),
        "parts": [PART_NAMES[part] for part in predictions.parts],
    }


def _named(session: Session, choice: Choice) -> tuple[str, str]:
    model_id = choice.model_id or ""
    graph_id, label = models.get_identity(session, model_id)
    for wanted, given, what in (
        (choice.graph_id, graph_id, "grid"),
        (choice.label, label, "label"),
    ):
        if wanted is not None and wanted != given:
            raise ModelNotFound(f"Model {model_id!r} is of {what} {given!r}, not {wanted!r}.")
    return model_id, "the model that was named"


def _active(session: Session, choice: Choice) -> tuple[str, str, tuple[str, ...]]:
    """Return the active model promoted last, why it is that one, and the grids passed over."""
    if choice.graph_id is not None:
        get_graph(session, choice.graph_id)
    candidates = models.list_active(session, choice.graph_id, choice.label)
    if not candidates:
        raise NoModelYet(f"No model has been trained that could answer; {_advise(session, choice)}")
    first = candidates[0]
    others = dict.fromkeys(each.graph_id for each in candidates if each.graph_id != first.graph_id)
    count = len(candidates)
    chosen = "the only active model" if count == 1 else _LAST_PROMOTED.format(count)
    return first.model_id, chosen, tuple(others)


def _advise(session: Session, choice: Choice) -> str:
    """Say how there will be a model: the job that is at it, or the call that starts one."""
    for state in (JobState.RUNNING, JobState.QUEUED):
        rows, _ = list_jobs(session, _MOST_SEARCHED, None, state, choice.graph_id)
        for job in rows:
            if job.kind == "train" and choice.label in (None, job.payload.get("label")):
                return f"one is being made by job {job.id} ({state}), see GET /jobs/{job.id}."
    return "POST /train makes one."


def _load_truth(session: Session, predictions: Predictions) -> IntArray:
    label_set = get_label_set(session, predictions.graph_id, predictions.label)
    position = {name: code for code, name in enumerate(predictions.class_names)}
    codes = [position.get(name, UNKNOWN_CLASS) for name in label_set.class_names]
    return np.array([*codes, UNKNOWN_CLASS], dtype=np.int64)[label_set.classes]


def _find_bus(session: Session, answering: Answering, text: str) -> int:
    grid = answering.grid
    found = grid.find_buses(text)
    if len(found) == 1:
        return found[0]
    if not found:
        hint = _suggest_grids(session, answering.other_graph_ids, text)
        raise BusNotFound(f"The grid {grid.name!r} has no bus {text!r}.{hint}")
    ids = ", ".join(grid.bus_ids[bus] for bus in found[:5])
    raise BusNotFound(f"{len(found)} buses are called {text!r}; name one by its id: {ids}.")


def _suggest_grids(session: Session, graph_ids: Sequence[str], text: str) -> str:
    """Say which of these grids have the bus and how to ask for them."""
    searched = [(graph_id, load_grid(session, graph_id)) for graph_id in graph_ids[:_MOST_SEARCHED]]
    having = [
        f"?graph_id={graph_id} ({grid.name!r})"
        for graph_id, grid in searched
        if grid.find_buses(text)
    ]
    return f" Other grids with a model have it; ask with {' or '.join(having)}." if having else ""


def _class_name(predictions: Predictions, code: int) -> str | None:
    return None if code == UNKNOWN_CLASS else predictions.class_names[code]


def _rounded(probabilities: Any) -> list[Any]:
    # Through float64: a rounded float32 would be written with all its binary digits.
    values: list[Any] = np.round(probabilities.astype(np.float64), _DECIMALS).tolist()
    return values


def _origin(answering: Answering) -> dict[str, Any]:
    predictions = answering.predictions
    return {
        "label": predictions.label,
        "graph_id": predictions.graph_id,
        "model_id": predictions.model_id,
        "chosen": answering.chosen,
        "warnings": [*_warn_of_choice(answering), *predictions.warnings],
    }


def _warn_of_choice(answering: Answering) -> list[str]:
    """Say that the grid was chosen for the client, if several could have answered."""
    others = answering.other_graph_ids
    if not others:
        return []
    warning = (
        f"{len(others) + 1} grids have an active model and the request named none: this answer "
        f"is for the grid {answering.grid.name!r}, whose model was promoted last. "
        "Add ?graph_id= to choose the grid."
    )
    return [warning]
