"""How predictions look on the wire."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.models.card.schema import EXAMPLE_HEADLINE

_WARNINGS = (
    "What to know before trusting the answer: that the grid was one of several, that a simpler "
    "method was better on validation."
)

Part = Literal["train", "validation", "test"]


class PredictionOut(BaseModel):
    """What a model says of one bus."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "bus_id": "1",
                "bus_name": None,
                "class": "generator",
                "probabilities": {"neither": 0.021, "load": 0.213, "generator": 0.766},
                "true_label": "generator",
                "split": "test",
                "label": "role",
                "graph_id": "0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e",
                "model_id": "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f",
                "chosen": "the only active model",
                "warnings": [EXAMPLE_HEADLINE],
            }
        }
    )

    bus_id: str
    bus_name: str | None
    predicted: str = Field(serialization_alias="class")
    probabilities: dict[str, float]
    true_label: str | None = Field(description="The known class of the bus, if there is one.")
    split: Part | None = Field(description="What the bus was used for when the model was made.")
    label: str = Field(description="The label set that the model has learnt.")
    graph_id: str
    model_id: str
    chosen: str = Field(description="Why this model answers.")
    warnings: list[str] = Field(description=_WARNINGS)


class PredictionColumnsOut(BaseModel):
    """What a model says of every bus, one list a property."""

    label: str = Field(examples=["role"])
    graph_id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    model_id: str = Field(examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"])
    chosen: str = Field(examples=["the only active model"])
    warnings: list[str] = Field(description=_WARNINGS, examples=[[EXAMPLE_HEADLINE]])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    bus_ids: list[str] = Field(examples=[["1", "2"]])
    classes: list[int] = Field(description="Positions in `class_names`.", examples=[[2, 1]])
    probabilities: list[list[float]] = Field(
        description="One row a bus, one column a class.",
        examples=[[[0.021, 0.213, 0.766], [0.1, 0.8, 0.1]]],
    )
    truth: list[int] = Field(
        description="Positions in `class_names`; -1 where unknown.", examples=[[2, -1]]
    )
    parts: list[Part | None] = Field(
        description="What each bus was used for.", examples=[["test", None]]
    )
