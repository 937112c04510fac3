"""Predictions as JSON."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.http.json_body import BodyIn
from app.models.card.reports import Part
from app.models.card.schema import EXAMPLE_HEADLINE
from app.models.predictions import Source

LONGEST_ID = 200
"""Characters of a bus id or name in a request."""
_CHOSEN = "Why this model answers."
_WARNINGS = (
    "Reasons to doubt the answer: the grid was chosen among several, a baseline had a higher "
    "validation accuracy, or a feature reveals the label."
)


_EXAMPLE_ROW: dict[str, Any] = {
    "bus_id": "1",
    "bus_name": None,
    "class": "generator",
    "probabilities": {"neither": 0.021, "load": 0.213, "generator": 0.766},
    "true_label": "generator",
    "known_label": "generator",
    "answer": "generator",
    "source": "known",
    "split": "test",
}
_EXAMPLE_MODEL: dict[str, Any] = {
    "label": "role",
    "graph_id": "0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e",
    "model_id": "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f",
    "chosen": "the only active model",
    "warnings": [EXAMPLE_HEADLINE],
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


class PredictionOut(BusRowOut):
    """The prediction of a model for one bus."""

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE_ROW | _EXAMPLE_MODEL})

    label: str = Field(description="Label set that the model has learnt.")
    graph_id: str = Field(description="Grid of the bus.")
    model_id: str = Field(description="Model that answers.")
    chosen: str = Field(description=_CHOSEN)
    warnings: list[str] = Field(description=_WARNINGS)


class PredictionColumnsOut(BaseModel):
    """The predictions of a model for every bus, one list per property."""

    label: str = Field(description="Label set that the model has learnt.", examples=["role"])
    graph_id: str = Field(description="Grid.", examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    model_id: str = Field(
        description="Model that answers.", examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"]
    )
    chosen: str = Field(description=_CHOSEN, examples=["the only active model"])
    warnings: list[str] = Field(description=_WARNINGS, examples=[[EXAMPLE_HEADLINE]])
    class_names: list[str] = Field(
        description="Names of the classes.", examples=[["neither", "load", "generator"]]
    )
    bus_ids: list[str] = Field(description="Ids of the buses.", examples=[["1", "2"]])
    classes: list[int] = Field(
        description="The model's own classes as positions in `class_names`; out of fold where "
        "the label of the bus was used for training with `auto`.",
        examples=[[2, 1]],
    )
    probabilities: list[list[float]] = Field(
        description="One row per bus, one column per class.",
        examples=[[[0.021, 0.213, 0.766], [0.1, 0.8, 0.1]]],
    )
    truth: list[int] = Field(
        description="True classes as positions in `class_names`; -1 where unknown.",
        examples=[[2, -1]],
    )
    known_labels: list[int] = Field(
        description="Labels in the label set as positions in `class_names`; -1 where there is "
        "none.",
        examples=[[2, -1]],
    )
    answers: list[int] = Field(
        description="The known label where there is one, else the model's class, as positions in "
        "`class_names`.",
        examples=[[2, 1]],
    )
    sources: list[Source] = Field(
        description="Where each answer comes from.", examples=[["known", "predicted"]]
    )
    parts: list[Part | None] = Field(
        description="Part of the split that each bus belongs to; null where it was not used.",
        examples=[["test", None]],
    )


class PredictionRowsOut(BaseModel):
    """The predictions of a model, one object per bus."""

    label: str = Field(description="Label set that the model has learnt.", examples=["role"])
    graph_id: str = Field(description="Grid.", examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    model_id: str = Field(
        description="Model that answers.", examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"]
    )
    chosen: str = Field(description=_CHOSEN, examples=["the only active model"])
    warnings: list[str] = Field(description=_WARNINGS, examples=[[EXAMPLE_HEADLINE]])
    class_names: list[str] = Field(
        description="Names of the classes.", examples=[["neither", "load", "generator"]]
    )
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
