"""Wire formats of the checks of a grid model."""

from pydantic import BaseModel, Field

from app.checks.rule import Severity


class BranchRefOut(BaseModel):
    """A branch that a finding is about."""

    row: int = Field(
        description="Position in `GET /graphs/{id}/branches`, from 0 on.", examples=[178]
    )
    source: str = Field(alias="from", examples=["1201"])
    target: str = Field(alias="to", examples=["120"])
    kind: str = Field(examples=["line"])


class FindingOut(BaseModel):
    """One finding of a rule."""

    message: str = Field(examples=["line 1201 - 120 has x = -0.3697 p.u."])
    buses: list[str] = Field(description="Ids of at most 20 buses.", examples=[[]])
    branches: list[BranchRefOut] = Field(description="At most 20 branches.")
    element_count: int = Field(
        description="Number of all buses or branches of the finding.", examples=[1]
    )
    numbers: dict[str, float | str | None] = Field(
        description="The numbers of the message by name, to 6 digits.", examples=[{"x": -0.3697}]
    )


class RuleResultOut(BaseModel):
    """The findings of one rule, worst first."""

    rule: str = Field(examples=["reactance-negative"])
    severity: Severity = Field(
        description="`error`: calculations with this grid are wrong; `warning`: probably a "
        "mistake; `note`: worth knowing, often intended.",
        examples=["note"],
    )
    title: str = Field(examples=["Line with negative reactance"])
    why: str = Field(
        description="Why it matters.",
        examples=["Series capacitors have negative reactances; lines do not."],
    )
    fix: str = Field(
        description="What to do about it.",
        examples=[
            "Check whether the branch is a series capacitor; otherwise correct the sign of x."
        ],
    )
    count: int = Field(description="Number of all findings of this rule.", examples=[1])
    findings: list[FindingOut] = Field(description="The first `limit` findings.")


class SkippedRuleOut(BaseModel):
    """A rule that needs data which the grid does not have."""

    rule: str = Field(examples=["impedance-for-length"])
    reason: str = Field(examples=["the grid lacks geographic coordinates"])


class ChecksOut(BaseModel):
    """Findings of all rules, errors first."""

    graph_id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    errors: int = Field(description="Number of findings that are errors.", examples=[0])
    warnings: int = Field(description="Number of findings that are warnings.", examples=[1])
    notes: int = Field(description="Number of findings that are notes.", examples=[5])
    results: list[RuleResultOut] = Field(description="Rules with findings.")
    skipped: list[SkippedRuleOut] = Field(description="Rules that could not run on this grid.")
    without: list[str] = Field(
        description="Rules that the request switched off.", examples=[["rating-missing"]]
    )
