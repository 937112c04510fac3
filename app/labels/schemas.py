"""How label sets look on the wire."""

from typing import Self

from pydantic import BaseModel, Field

from app.ingest.grid import LabelSet


class LabelSetOut(BaseModel):
    """One way of classing the buses of a grid."""

    name: str
    definition: str
    class_names: list[str]
    class_counts: dict[str, int]
    known: int = Field(description="How many buses have a class.")
    unknown: int = Field(description="How many buses have none.")

    @classmethod
    def from_label_set(cls, label_set: LabelSet) -> Self:
        """Translate a label set into its counts."""
        counts = label_set.class_counts()
        known = sum(counts.values())
        return cls(
            name=label_set.name,
            definition=label_set.definition,
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

    graph_id: str
    name: str
    definition: str
    class_names: list[str]
    bus_ids: list[str]
    classes: list[int] = Field(description="Positions in `class_names`; -1 where unknown.")
