"""How two models side by side look on the wire."""

from typing import Any

from pydantic import BaseModel, Field

_VERDICT = (
    "The second model is right where the other is wrong at 10 buses, the other way round at 6: "
    "that may well be chance (p = 0.45)."
)
_ACCURACY = {"first": 0.7108, "second": 0.759, "difference": 0.0482}
_AGREEMENT = {"count": 101, "buses": 118, "share": 0.8559}


class ComparedModelOut(BaseModel):
    """One of the two."""

    id: str = Field(examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"])
    kind: str = Field(examples=["lfgcn"])
    active: bool = Field(examples=[True])
    split_hash: str | None = Field(examples=["5d41402abc4b2a76b9719d911017c592"])


class FiguresOut(BaseModel):
    """A figure of both, and the second less the first."""

    first: float | None = Field(examples=[0.7108])
    second: float | None = Field(examples=[0.759])
    difference: float | None = Field(examples=[0.0482])


class AgreementOut(BaseModel):
    """At how many buses both say the same."""

    count: int = Field(examples=[101])
    buses: int = Field(examples=[118])
    share: float | None = Field(examples=[0.8559])


class SettingDifferenceOut(BaseModel):
    """A setting that is not the same; null where a model has no such setting."""

    name: str = Field(examples=["gamma"])
    first: Any = Field(examples=[0.1])
    second: Any = Field(examples=[1.0])


class CommonTestOut(BaseModel):
    """Both on the buses that both have tested on."""

    buses: int = Field(examples=[83])
    accuracy: FiguresOut
    both_right: int = Field(examples=[53])
    only_first_right: int = Field(examples=[6])
    only_second_right: int = Field(examples=[10])
    neither_right: int = Field(examples=[14])
    agreement: AgreementOut
    p_value: float = Field(
        description="Of so uneven a count, were both equally good.", examples=[0.4545]
    )
    method: str = Field(examples=["exact McNemar test, two-sided"])
    verdict: str = Field(examples=[_VERDICT])


class ModelComparisonOut(BaseModel):
    """Two models of one grid and label, side by side."""

    first: ComparedModelOut
    second: ComparedModelOut
    warnings: list[str] = Field(
        description="Different splits, or test buses that the other was trained on.",
        examples=[["The second model was trained on 7 of the other's test buses."]],
    )
    config: list[SettingDifferenceOut] = Field(description="Settings that differ.")
    metrics: dict[str, dict[str, Any]] = Field(
        description="Of train, validation and test as each model measured them.",
        examples=[{"test": {"counts": [83, 83], "accuracy": _ACCURACY}}],
    )
    agreement: AgreementOut = Field(description="Over all buses of the grid.")
    common_test: CommonTestOut
    per_class: list[dict[str, Any]] = Field(
        description="On the common test buses.",
        examples=[[{"class": "load", "support": 38, "recall": _ACCURACY, "agreement": _AGREEMENT}]],
    )
