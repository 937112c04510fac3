"""Predictions as JSON."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.http.json_body import BodyIn
from app.models.card.reports import Part
from app.models.predictions import Source
from app.predict.trust import PromiseKind, Quality, Reason
from ml import DEFAULT_COVERAGE, HIGHEST_COVERAGE, LOWEST_COVERAGE

LONGEST_ID = 200
"""Characters of a bus id or name in a request."""
_CHOSEN = "Why this model answers."
_PROMISE = "What the prediction sets promise, for all buses of this model."
_VERSIONS = "Versions of the grid, the labels and the model behind the answer."
_WARNINGS = (
    "Reasons to doubt the answer: the grid was chosen among several, a baseline had a higher "
    "validation accuracy, or a feature reveals the label."
)


# A real answer: IEEE 118, role known of 59 random buses, trained without settings.
_EXAMPLE_ROW: dict[str, Any] = {
    "bus_id": "1",
    "bus_name": None,
    "class": "generator",
    "probabilities": {"generator": 0.759563, "load": 0.234973, "neither": 0.005464},
    "true_label": None,
    "known_label": None,
    "answer": "generator",
    "source": "predicted",
    "split": None,
    "prediction_set": ["generator", "load"],
    "abstain": True,
    "quality": "uncertain",
    "reasons": ["set is not decisive"],
}
_EXAMPLE_PROMISE: dict[str, Any] = {
    "kind": "empirical",
    "coverage": 0.9,
    "calibration_buses": 59,
    "calibration_substations": 56,
    "sentence": "Sets contain the true class of 90 % of buses in substations like the 56 known "
    "ones, each of which counts once. Empirical, not a guarantee: the same labels were used to "
    "choose the method, and the model was refitted on all of them.",
}
_EXAMPLE_VERSIONS: dict[str, Any] = {
    "grid": 1,
    "newest_grid": 1,
    "labels": 1,
    "newest_labels": 1,
    "model_created_at": "2026-11-18T16:26:43.416532Z",
}
_EXAMPLE_MODEL: dict[str, Any] = {
    "label": "survey",
    "graph_id": "5befe8ef22604289bbbefef6a2bbf7e1",
    "model_id": "5026a3453ed24484ad55e9e58b17ae70",
    "chosen": "the only active model",
    "promise": _EXAMPLE_PROMISE,
    "versions": _EXAMPLE_VERSIONS,
    "warnings": [],
}


class BusRowOut(BaseModel):
    """What a model says about one bus."""

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE_ROW})

    bus_id: str = Field(description="Id of the bus.")
    bus_name: str | None = Field(description="Name of the bus, if it has one.")
    predicted: str = Field(
        serialization_alias="class", description="Class with the highest probability."
    )
    probabilities: dict[str, float] = Field(description="Probability of every class.")
    true_label: str | None = Field(description="True class of the bus; null if it is unknown.")
    known_label: str | None = Field(
        description="Label of the bus in the label set; null if it has none. `class` never "
        "repeats it: where the label was used for training with `auto`, `class` and "
        "`probabilities` come from a model that did not see it (out of fold)."
    )
    answer: str = Field(description="The known label if there is one, else the predicted class.")
    source: Source = Field(description="Where `answer` comes from.")
    split: Part | None = Field(
        description="Part of the split that the bus belongs to; null if it was not used."
    )
    prediction_set: list[str] | None = Field(
        description="Classes that the bus may have at the coverage of `promise`: it contains the "
        "true class of that fraction of buses. Null if the labels are too few."
    )
    abstain: bool = Field(
        description="Whether the model leaves the answer open: the label is unknown and the set "
        "does not have exactly one class."
    )
    quality: Quality = Field(
        description="`known`: the label is known. `good`: the set has one class and nothing speaks "
        "against it. `uncertain`: the set does not decide. `doubtful`: the promise may not hold "
        "for this bus, see `reasons`."
    )
    reasons: list[Reason] = Field(description="Why the answer has this quality.")


class PromiseOut(BaseModel):
    """What the prediction sets promise."""

    kind: PromiseKind = Field(
        description="`exact`: holds for random buses with any model. `empirical`: was "
        "measured, but the same labels had a part in making the model. `none`: the labels are too "
        "few or not a random sample."
    )
    coverage: float = Field(description="Fraction of sets that contain the true class.")
    calibration_buses: int = Field(
        description="Known buses whose label was hidden from the model that predicted them."
    )
    calibration_substations: int | None = Field(
        description="Substations of these buses, each of which counts once; null if buses count "
        "singly."
    )
    sentence: str = Field(description="The promise in words.")


class AnswerVersionsOut(BaseModel):
    """Versions behind an answer."""

    grid: int = Field(description="Version of the grid that the model was made for.")
    newest_grid: int = Field(description="Newest version of this grid.")
    labels: int = Field(description="Version of the label set that the model has learnt.")
    newest_labels: int = Field(description="Newest version of the label set; 0 if it is deleted.")
    model_created_at: datetime = Field(description="Time at which the model was stored.")


class PredictionOut(BusRowOut):
    """The prediction of a model for one bus."""

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE_ROW | _EXAMPLE_MODEL})

    label: str = Field(description="Label set that the model has learnt.")
    graph_id: str = Field(description="Grid of the bus.")
    model_id: str = Field(description="Model that answers.")
    chosen: str = Field(description=_CHOSEN)
    promise: PromiseOut = Field(description=_PROMISE)
    versions: AnswerVersionsOut = Field(description=_VERSIONS)
    warnings: list[str] = Field(description=_WARNINGS)


class _GridAnswerOut(BaseModel):
    """What the answers for many buses have in common."""

    label: str = Field(description="Label set that the model has learnt.", examples=["survey"])
    graph_id: str = Field(description="Grid.", examples=["5befe8ef22604289bbbefef6a2bbf7e1"])
    model_id: str = Field(
        description="Model that answers.", examples=["5026a3453ed24484ad55e9e58b17ae70"]
    )
    chosen: str = Field(description=_CHOSEN, examples=["the only active model"])
    promise: PromiseOut = Field(description=_PROMISE, examples=[_EXAMPLE_PROMISE])
    versions: AnswerVersionsOut = Field(description=_VERSIONS, examples=[_EXAMPLE_VERSIONS])
    warnings: list[str] = Field(description=_WARNINGS, examples=[[]])
    class_names: list[str] = Field(
        description="Names of the classes.", examples=[["generator", "load", "neither"]]
    )


class PredictionColumnsOut(_GridAnswerOut):
    """The predictions of a model for every bus, one list per property."""

    bus_ids: list[str] = Field(description="Ids of the buses.", examples=[["1", "2"]])
    classes: list[int] = Field(
        description="The model's own classes as positions in `class_names`; out of fold where "
        "the label of the bus was used for training with `auto`.",
        examples=[[0, 1]],
    )
    probabilities: list[list[float]] = Field(
        description="One row per bus, one column per class.",
        examples=[[[0.759563, 0.234973, 0.005464], [0.005464, 0.989071, 0.005464]]],
    )
    truth: list[int] = Field(
        description="True classes as positions in `class_names`; -1 where unknown.",
        examples=[[-1, -1]],
    )
    known_labels: list[int] = Field(
        description="Labels in the label set as positions in `class_names`; -1 where there is "
        "none.",
        examples=[[-1, -1]],
    )
    answers: list[int] = Field(
        description="The known label where there is one, else the model's class, as positions in "
        "`class_names`.",
        examples=[[0, 1]],
    )
    sources: list[Source] = Field(
        description="Where each answer comes from.", examples=[["predicted", "predicted"]]
    )
    parts: list[Part | None] = Field(
        description="Part of the split that each bus belongs to; null where it was not used.",
        examples=[[None, None]],
    )
    prediction_sets: list[list[int] | None] = Field(
        description="Prediction set of each bus as positions in `class_names`; null if the labels "
        "are too few.",
        examples=[[[0, 1], [1]]],
    )
    abstain: list[bool] = Field(
        description="Whether the model leaves the answer open.", examples=[[True, False]]
    )
    quality: list[Quality] = Field(
        description="Quality of each answer, as in `GET /predict/{bus_id}`.",
        examples=[["uncertain", "good"]],
    )
    reasons: list[list[Reason]] = Field(
        description="Why each answer has this quality.",
        examples=[[["set is not decisive"], []]],
    )


class PredictionRowsOut(_GridAnswerOut):
    """The predictions of a model, one object per bus."""

    count: int = Field(description="Number of rows.", examples=[1])
    rows: list[BusRowOut] = Field(description="One row per bus.", examples=[[_EXAMPLE_ROW]])


class PredictListIn(BodyIn):
    """Buses to predict, and the model that answers."""

    bus_ids: list[Annotated[str, Field(max_length=LONGEST_ID)]] = Field(
        min_length=1,
        max_length=10_000,
        description="Ids or names of the buses; the rows of the answer have the same order.",
        examples=[["1", "69"]],
    )
    graph_id: str | None = Field(
        None,
        max_length=64,
        description="Grid of the buses. Default: the grid whose model was promoted last.",
    )
    graph: str | None = Field(
        None,
        max_length=200,
        description="Name of the grid instead of `graph_id`: its newest version.",
        examples=["case118"],
    )
    model_id: str | None = Field(
        None, max_length=64, description="Model that answers. Default: the active model."
    )
    label: str | None = Field(
        None, max_length=100, description="Label set. Default: that of the last promoted model."
    )
    coverage: float = Field(
        DEFAULT_COVERAGE,
        ge=LOWEST_COVERAGE,
        le=HIGHEST_COVERAGE,
        description="Fraction of buses whose prediction set contains the true class.",
    )
