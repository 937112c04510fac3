"""How label sets look on the wire."""

from typing import Any, Self

from pydantic import BaseModel, Field

from app.grid.grid import LabelSet, LabelSource


class LabelSetOut(BaseModel):
    """One way of classing the buses of a grid."""

    name: str = Field(examples=["role"])
    definition: str = Field(examples=["generator: a generator is connected; else load: ..."])
    source: LabelSource = Field(
        description="`file`: came with the grid; `catalogue`: computed; `user`: sent by a user.",
        examples=["file"],
    )
    version: int = Field(description="Of the definition.", examples=[1])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    class_counts: dict[str, int] = Field(examples=[{"neither": 10, "load": 54, "generator": 54}])
    known: int = Field(description="How many buses have a class.", examples=[118])
    unknown: int = Field(description="How many buses have none.", examples=[0])

    @classmethod
    def from_label_set(cls, label_set: LabelSet) -> Self:
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
    version: int = Field(description="Of the definition.", examples=[1])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    bus_ids: list[str] = Field(examples=[["1", "2"]])
    classes: list[int] = Field(
        description="Positions in `class_names`; -1 where unknown.", examples=[[2, 1]]
    )


class NewLabelSetOut(LabelSetOut):
    """A label set that was just given, and what of it could not be placed."""

    report: dict[str, Any] = Field(examples=[{"unknown_buses": {"count": 1, "first": ["bus 999"]}}])


class LeakOut(BaseModel):
    """How well a column alone gives the classes away."""

    column: str = Field(examples=["Pd"])
    accuracy: float = Field(examples=[0.93])


class SuitabilityOut(BaseModel):
    """Whether labels are worth learning on this grid."""

    graph_id: str
    name: str
    class_counts: dict[str, int]
    classes_too_small: list[str] = Field(description="Fewer than 3 buses: no split has them all.")
    majority: float = Field(description="Accuracy of always saying the largest class.")
    adjusted_homophily: float | None = Field(
        description="1: branches join equals; 0: as by chance; None: undefined."
    )
    label_propagation: float | None = Field(
        description="Accuracy of spreading a tenth of the labels along the branches."
    )
    features_alone: float | None = Field(description="Accuracy of a small tree, no graph.")
    single_columns: list[LeakOut] = Field(description="Trees on one column each, best first.")
    gives_away: list[str] = Field(description="Columns that give the label away.")
    verdict: str
