"""Wire formats of label sets."""

from typing import Any, Self

from pydantic import BaseModel, Field

from app.grid.grid import LabelSet, LabelSource


class LabelSetOut(BaseModel):
    """A label set: classes of the buses of a grid under one definition."""

    name: str = Field(examples=["role"])
    definition: str = Field(examples=["generator: a generator is connected; else load: ..."])
    source: LabelSource = Field(
        description="`file`: part of the grid's file; `catalogue`: computed; `user`: uploaded.",
        examples=["file"],
    )
    version: int = Field(description="1, and one more per replacement.", examples=[1])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    class_counts: dict[str, int] = Field(examples=[{"neither": 10, "load": 54, "generator": 54}])
    known: int = Field(description="Number of buses with a class.", examples=[118])
    unknown: int = Field(description="Number of buses without a class.", examples=[0])
    hides: dict[str, str] = Field(
        description="Columns that give the label away, with the reasons: models of this label are "
        "not trained on them.",
        examples=[{"generators": "it shows whether a generator is connected"}],
    )

    @classmethod
    def from_label_set(cls, label_set: LabelSet, hides: dict[str, str]) -> Self:
        """Translate a label set into its counts."""
        counts = label_set.class_counts()
        known = sum(counts.values())
        return cls(
            name=label_set.name,
            definition=label_set.definition,
            source=label_set.source,
            version=label_set.version,
            class_names=list(label_set.class_names),
            class_counts=counts,
            known=known,
            unknown=len(label_set.classes) - known,
            hides=hides,
        )


class LabelSetsOut(BaseModel):
    """All label sets of a grid."""

    items: list[LabelSetOut]


class LabelColumnsOut(BaseModel):
    """The class of every bus, as columns."""

    graph_id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    name: str = Field(examples=["role"])
    definition: str = Field(examples=["generator: a generator is connected; else load: ..."])
    source: LabelSource = Field(examples=["file"])
    version: int = Field(description="1, and one more per replacement.", examples=[1])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    bus_ids: list[str] = Field(examples=[["1", "2"]])
    classes: list[int] = Field(
        description="Positions in `class_names`; -1 for unknown.", examples=[[2, 1]]
    )


class NewLabelSetOut(LabelSetOut):
    """A label set that was just added, and what was left out, merged or grouped."""

    report: dict[str, Any] = Field(examples=[{"unknown_buses": {"count": 1, "first": ["bus 999"]}}])


class LeakOut(BaseModel):
    """Accuracy of a small decision tree on one column alone."""

    column: str = Field(examples=["Pd"])
    accuracy: float = Field(examples=[0.93])


class SuitabilityOut(BaseModel):
    """What the features give away of a label set, and what the graph carries of it."""

    graph_id: str
    name: str
    class_counts: dict[str, int]
    classes_too_small: list[str] = Field(
        description="Classes with fewer than 3 buses: they cannot be in every part of a split."
    )
    majority: float = Field(description="Accuracy of always predicting the largest class.")
    adjusted_homophily: float | None = Field(
        description="1: branches join equal classes; 0: as by chance; null: undefined."
    )
    label_propagation: float | None = Field(
        description="Accuracy of label propagation from a tenth of the labels."
    )
    features_alone: float | None = Field(
        description="Accuracy of a small decision tree on the features, without the graph."
    )
    single_columns: list[LeakOut] = Field(
        description="Accuracy of trees on one column each, best first."
    )
    gives_away: list[str] = Field(description="Columns that predict the label without the graph.")
    hidden: dict[str, str] = Field(
        {},
        description="Columns that the label hides from the features, with the reasons; none of "
        "these figures uses them.",
    )
    verdict: str
