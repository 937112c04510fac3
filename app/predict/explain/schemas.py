"""Explanations as JSON."""

from pydantic import BaseModel, ConfigDict, Field

from app.predict.explain.example import EXAMPLE
from ml import PartKind


class ContributingBusOut(BaseModel):
    """A bus, or its known label, and what it contributes."""

    bus_id: str = Field(description="Id of the bus.")
    bus_name: str | None = Field(description="Name of the bus, if it has one.")
    known: str | None = Field(
        serialization_alias="class", description="Its known class; null if it is unknown."
    )
    distance: int | None = Field(
        description="Branches between the two buses; null if they are on different islands."
    )
    contribution: float | None = Field(
        description="What it adds to the score of the class in `class` (`labels`, `neighbours`) "
        "or of the explained class (`nodes`); null if there is no exact contribution."
    )
    share: float | None = Field(
        description="Its part of the sum of all contributions by absolute value."
    )


class ContributingColumnOut(BaseModel):
    """A column of the bus and what it contributes to the explained class."""

    column: str = Field(description="Name of the column.")
    value: float | None = Field(description="Its value as the model sees it, often scaled.")
    contribution: float = Field(description="What it adds to the score of the explained class.")
    share: float = Field(description="Its part of the sum of all contributions by absolute value.")


class OtherContributionsOut(BaseModel):
    """Everything that is not listed."""

    count: int = Field(description="Number of buses or columns that are not listed.")
    contribution: float = Field(description="Sum of their contributions.")
    share: float = Field(description="Sum of their shares.")
    by_class: dict[str, float] = Field(
        description="Sum of their contributions per class, if labels contribute to their own class."
    )


class ExplainedPartOut(BaseModel):
    """A member of the model: the whole model, unless it is an ensemble."""

    method: str = Field(description="Method of this part.")
    title: str = Field(description="What it does, in words.")
    kind: PartKind = Field(
        description="What contributes. `labels`: known labels that spread over the grid; "
        "`neighbours`: votes of nearest known buses; `nodes`: buses through the Lévy filter; "
        "`columns`: columns of the bus; `frequencies`: nothing but the class frequencies; "
        "`nearest_labels`: no exact contribution exists, the nearest known labels are listed."
    )
    weight: float = Field(description="Weight of this part in the answer.")
    sharpness: float | None = Field(
        description="Power that calibrates its probabilities; null if they are used as they are."
    )
    exact: bool = Field(description="Whether the contributions sum to its scores.")
    note: str | None = Field(description="What should be known about this part.")
    scores: dict[str, float] | None = Field(
        description="Score of every class before normalisation: the sum of the contributions."
    )
    probabilities: dict[str, float] | None = Field(
        description="Its probabilities: the scores scaled to sum to one, or their softmax for "
        "networks and logistic regression."
    )
    base: float = Field(
        description="What the score of the explained class starts from: class frequency at the "
        "roots of the trees, intercept, or bias."
    )
    buses: list[ContributingBusOut] = Field(description="Largest contributions of buses first.")
    columns: list[ContributingColumnOut] = Field(
        description="Largest contributions of columns first."
    )
    others: OtherContributionsOut = Field(description="Everything that is not listed.")


class ExplanationOut(BaseModel):
    """Why a model answers as it does for one bus."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    bus_id: str = Field(description="Id of the bus.")
    bus_name: str | None = Field(description="Name of the bus, if it has one.")
    predicted: str = Field(serialization_alias="class", description="The explained class.")
    probabilities: dict[str, float] = Field(description="Probability of every class.")
    out_of_fold: bool = Field(
        description="Whether the answer of a model that did not see the label of this bus is "
        "explained."
    )
    reproduced: bool | None = Field(
        description="Whether the parts give the stored answer again, within 1e-6 (networks: "
        "1e-4); null if that cannot be checked."
    )
    difference: float | None = Field(description="Largest difference from the stored answer.")
    note: str | None = Field(description="What should be known about the explanation.")
    parts: list[ExplainedPartOut] = Field(
        description="The members of the model; the answer is the weighted sum of their "
        "calibrated probabilities."
    )
    label: str = Field(description="Label set that the model has learnt.")
    graph_id: str = Field(description="Grid of the bus.")
    model_id: str = Field(description="Model that answers.")
    chosen: str = Field(description="Why this model answers.")
    warnings: list[str] = Field(description="Reasons to doubt the answer.")
