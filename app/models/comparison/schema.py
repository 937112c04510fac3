"""The comparison of two models as JSON."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from app.models.card.reports import Part

_VERDICT = (
    "The second model is right where the first is wrong at 10 buses, and wrong where the first is "
    "right at 6: the difference may be due to chance (p = 0.45)."
)


class ComparedModelOut(BaseModel):
    """One of the two models."""

    id: str = Field(examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"])
    kind: str = Field(description="Key of the method.", examples=["lfgcn"])
    active: bool = Field(
        description="Whether the model is the active one of its grid and label.", examples=[True]
    )
    split_hash: str | None = Field(
        description="SHA-256 of the split.", examples=["5d41402abc4b2a76b9719d911017c592"]
    )


class ComparedFigureOut(BaseModel):
    """One figure of both models, and the second minus the first."""

    first: float | None = Field(examples=[0.7108])
    second: float | None = Field(examples=[0.759])
    difference: float | None = Field(description="Second minus first.", examples=[0.0482])


class ComparedPartOut(BaseModel):
    """The figures of both models on one part of the split, as each model measured them."""

    counts: list[int | None] = Field(
        description="Count of buses of the first and the second model.", examples=[[83, 83]]
    )
    accuracy: ComparedFigureOut
    macro_f1: ComparedFigureOut
    log_loss: ComparedFigureOut
    expected_calibration_error: ComparedFigureOut


class AgreementOut(BaseModel):
    """At how many buses both models predict the same class."""

    count: int = Field(description="Count of buses with the same prediction.", examples=[101])
    buses: int = Field(description="Count of compared buses.", examples=[118])
    share: float | None = Field(description="`count` / `buses`.", examples=[0.8559])


class SettingDifferenceOut(BaseModel):
    """One setting that differs; null where a model has no such setting."""

    name: str = Field(description="Name of the setting.", examples=["gamma"])
    first: Any = Field(examples=[0.1])
    second: Any = Field(examples=[1.0])


class CommonTestOut(BaseModel):
    """Both models on the buses that are test buses of both."""

    buses: int = Field(description="Count of common test buses.", examples=[83])
    accuracy: ComparedFigureOut
    both_right: int = Field(examples=[53])
    only_first_right: int = Field(examples=[6])
    only_second_right: int = Field(examples=[10])
    neither_right: int = Field(examples=[14])
    agreement: AgreementOut
    p_value: float = Field(
        description="p-value of the McNemar test: the probability of a difference at least this "
        "large if both models were equally good.",
        examples=[0.4545],
    )
    method: str = Field(description="Statistical test.", examples=["exact McNemar test, two-sided"])
    verdict: str = Field(description="The result in one sentence.", examples=[_VERDICT])


class ComparedClassOut(BaseModel):
    """Both models on the common test buses of one class."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    class_name: str = Field(alias="class", description="Name of the class.", examples=["load"])
    support: int = Field(description="Count of common test buses of the class.", examples=[38])
    recall: ComparedFigureOut
    precision: ComparedFigureOut
    agreement: AgreementOut


class ModelComparisonOut(BaseModel):
    """Two models of the same grid and label, compared."""

    first: ComparedModelOut
    second: ComparedModelOut
    warnings: list[str] = Field(
        description="Different splits, or test buses that the other model was trained on.",
        examples=[["The second model was trained on 7 test buses of the first."]],
    )
    config: list[SettingDifferenceOut] = Field(description="Settings that differ.")
    metrics: dict[Part, ComparedPartOut] = Field(
        description="Figures on the training, validation and test buses of each model."
    )
    agreement: AgreementOut = Field(description="On all buses of the grid.")
    common_test: CommonTestOut
    per_class: list[ComparedClassOut] = Field(
        description="One row per class, on the common test buses."
    )
