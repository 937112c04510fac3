"""The automatic choice of a method as JSON."""

from pydantic import BaseModel, Field


class SelectionEstimateOut(BaseModel):
    """Expected accuracy on buses without a label."""

    accuracy: float = Field(description="Out-of-fold accuracy, corrected for the choice.")
    low: float = Field(description="Lower end of the 95 % interval.")
    high: float = Field(description="Upper end of the 95 % interval.")
    ungrouped: float | None = Field(
        None,
        description="Out-of-fold accuracy if buses of one substation may be in different folds; "
        "it holds for a bus whose neighbour in the substation is known. Null if no substation "
        "has two known labels.",
    )


class SelectionMemberOut(BaseModel):
    """One method of the chosen model."""

    key: str = Field(description="Candidate.", examples=["propagation[plain,a=0.99,g=1,balanced]"])
    title: str = Field(
        "",
        description="What it does, in words.",
        examples=["label propagation over the branches (reach 0.99, classes balanced)"],
    )
    method: str = Field(description="Key of its method.")
    settings: dict[str, object] = Field(description="Its settings.")
    weight: float = Field(description="Its share of the answer, 0 to 1.")


class SelectionCandidateOut(BaseModel):
    """One candidate of the search."""

    key: str = Field(description="Candidate.")
    family: str = Field("", description="`propagation`, `tabular` or `network`.")
    accuracy: float | None = Field(description="Out-of-fold accuracy; null if not evaluated.")
    log_loss: float | None = Field(description="Out-of-fold log loss; null if not evaluated.")
    seconds: float = Field(description="Seconds that its evaluation took.")
    status: str = Field(description="Whether it was chosen, evaluated or left out, and why.")


class SelectionOut(BaseModel):
    """How the method was chosen automatically."""

    reason: str = Field(description="Why this method was chosen.")
    labels: int = Field(description="Number of labels that were used.")
    folds: int = Field(description="Folds of the cross-validation; 0: too few labels for it.")
    repeats: int = Field(description="Repetitions of the cross-validation.")
    grouped: bool = Field(
        description="Whether buses of one substation always share a fold, so that twins on both "
        "sides of a split do not flatter the figures."
    )
    estimate: SelectionEstimateOut | None = Field(
        description="Expected accuracy; null if there were too few labels to estimate it."
    )
    members: list[SelectionMemberOut] = Field(description="The chosen method or ensemble.")
    candidates: list[SelectionCandidateOut] = Field(description="Every candidate, best first.")
