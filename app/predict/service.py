"""Chooses the model that answers, and finds the buses that a request names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from app.errors import GraphNotFound, ModelNotFound, NoModelYet, Rejected
from app.graphs.service import get_graph, get_label_set, load_grid
from app.grid.bus_search import get_bus
from app.grid.grid import Grid
from app.jobs.service import list_jobs
from app.jobs.states import JobState
from app.models import service as models
from app.models.label_evidence import LabelEvidence, gather_evidence
from app.models.predictions import Predictions, find_known
from app.predict import repository
from app.predict.answers import (
    ONLY_GRID,
    BusAnswer,
    ChosenModel,
    answer_buses,
)
from app.predict.trust import Trust, Versions, make_trust
from app.storage.cache import BoundedCache
from ml import DEFAULT_COVERAGE
from ml.arrays import IntArray
from ml.errors import Fault

_LAST_PROMOTED = "the last promoted of {} active models"
_MOST_SEARCHED = 8
"""Grids searched for a bus that the chosen grid lacks; jobs searched for a model in training."""
_TRUTHS_REMEMBERED = 32
_truths: BoundedCache[IntArray] = BoundedCache(_TRUTHS_REMEMBERED)
_evidence: BoundedCache[LabelEvidence] = BoundedCache(_TRUTHS_REMEMBERED)
_trusts: BoundedCache[Trust] = BoundedCache(_TRUTHS_REMEMBERED)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model, grid and label set that a request names, and the coverage of its sets."""

    graph_id: str | None = None
    model_id: str | None = None
    label: str | None = None
    coverage: float = DEFAULT_COVERAGE


class ChosenData(NamedTuple):
    """What the evidence for a model is gathered from."""

    predictions: Predictions
    grid: Grid
    truth: IntArray


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
    stored = repository.find_versions(session, predictions.graph_id, predictions.label)
    if stored is None:
        raise GraphNotFound(f"There is no grid {predictions.graph_id!r}.")
    key = f"{model_id} {stored}"
    truth = _truths.get_or_load(key, lambda: _load_truth(session, predictions))
    trust = _trusts.get_or_load(
        f"{key} {choice.coverage}",
        lambda: _assess(ChosenData(predictions, grid, truth), key, stored, choice.coverage),
    )
    return ChosenModel(predictions, grid, truth, trust, reason, others)


def _assess(
    data: ChosenData, key: str, stored: repository.ServedVersions, coverage: float
) -> Trust:
    evidence = _evidence.get_or_load(key, lambda: gather_evidence(*data))
    predictions = data.predictions
    versions = Versions(
        grid=stored.grid,
        newest_grid=stored.newest_grid,
        labels=predictions.label_version,
        newest_labels=stored.labels or 0,
        model_created_at=predictions.created_at,
    )
    return make_trust(evidence, len(predictions.class_names), data.truth, versions, coverage)


def predict_bus(session: Session, choice: ModelChoice, text: str) -> BusAnswer:
    """Return the prediction for the bus with this id or name.

    Raises: BusNotFound, and the errors of ``choose_model``.
    """
    model, bus = find_model_and_bus(session, choice, text)
    return next(answer_buses(model, [bus]))


def find_model_and_bus(session: Session, choice: ModelChoice, text: str) -> tuple[ChosenModel, int]:
    """Return the model that answers for the bus with this id or name, and its position.

    Raises: BusNotFound, and the errors of ``choose_model``.
    """
    model = _prefer_grid_with_bus(session, choose_model(session, choice), text, choice.coverage)
    return model, _find_bus(session, model, text)


def _prefer_grid_with_bus(
    session: Session, model: ChosenModel, text: str, coverage: float
) -> ChosenModel:
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
    found = choose_model(session, ModelChoice(graph_id=having[0], coverage=coverage))
    return replace(found, reason=ONLY_GRID, other_graph_ids=others)


def find_buses(model: ChosenModel, texts: Sequence[str]) -> IntArray:
    """Return the positions of buses by id or name. Raises: Rejected naming all not found."""
    found = [model.grid.find_buses(text) for text in texts]
    faults = [
        Fault(f"bus_ids[{place}]", _explain_bus(model.grid, text))
        for place, (text, buses) in enumerate(zip(texts, found, strict=True))
        if len(buses) != 1
    ]
    if faults:
        raise Rejected(f"{len(faults)} of {len(texts)} buses were not found.", faults)
    return np.array([buses[0] for buses in found], dtype=np.int64)


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
    is_known = bool(model.grid.find_buses(text))
    hint = "" if is_known else _suggest_grids(session, model.other_graph_ids, text)
    return get_bus(model.grid, text, hint)


def _explain_bus(grid: Grid, text: str) -> str:
    """Say why a text does not name one bus."""
    buses = grid.find_buses(text)
    if not buses:
        return f"the grid {grid.name!r} has no bus {text!r}"
    ids = ", ".join(grid.bus_ids[bus] for bus in buses[:5])
    return f"{len(buses)} buses have the name {text!r}; use one of the ids: {ids}"


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
