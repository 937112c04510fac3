"""The evidence for an automatic choice as a model file contains it: typed and bounded."""

from typing import Annotated, Literal

from pydantic import Field

from app.http.json_body import BodyIn

_MOST_CANDIDATES = 2000
_MOST_MEMBERS = 64
_MOST_SETTINGS = 100
_MOST_VALUES = 100
_MOST_FOLDS = 100
_MOST_SECONDS = 10_000_000
_LARGEST = 10_000_000

Key = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Loss = Annotated[float, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, le=_MOST_SECONDS)]
Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Folds = Annotated[int, Field(ge=0, le=_MOST_FOLDS)]
SettingText = Annotated[str, Field(max_length=200)]
SettingNumber = bool | int | float | SettingText | None
SettingList = Annotated[list[SettingNumber], Field(max_length=_MOST_VALUES)]


class SelectionEstimateIn(BodyIn):
    """Expected accuracy on buses without a label."""

    accuracy: Share
    low: Share
    high: Share
    log_loss: Loss | None = None
    apparent: Share
    nodes: Count
    ungrouped: Share | None = None
    method: str = Field(max_length=200)


class SelectionMemberIn(BodyIn):
    """One method of the chosen model."""

    key: Key
    title: str = Field(max_length=300)
    method: Annotated[str, Field(max_length=100)]
    family: Literal["propagation", "tabular", "network"]
    settings: dict[Key, SettingNumber | SettingList] = Field(max_length=_MOST_SETTINGS)
    weight: float = Field(gt=0, le=1)
    sharpness: float = Field(gt=0, le=1000)


class SelectionCandidateIn(BodyIn):
    """One candidate of the search."""

    key: Key
    family: str = Field(max_length=40)
    accuracy: Share | None
    log_loss: Loss | None
    seconds: Seconds
    status: str = Field(max_length=300)


class ScheduleStepIn(BodyIn):
    """One step of the search."""

    candidate: Key
    repeats: Folds
    seconds: Seconds


class ScheduleIn(BodyIn):
    """The steps that a replay repeats."""

    budget_seconds: Seconds
    folds: Folds
    repeats: Folds
    steps: list[ScheduleStepIn] = Field(min_length=1, max_length=_MOST_CANDIDATES)
    networks: list[ScheduleStepIn] = Field(max_length=_MOST_CANDIDATES)
    survivors: Annotated[int, Field(ge=0, le=_MOST_CANDIDATES)]
    skipped: list[Key] = Field(max_length=_MOST_CANDIDATES)


class SelectionIn(BodyIn):
    """How the method was chosen automatically."""

    reason: str = Field(max_length=500)
    labels: Count
    folds: Folds
    repeats: Folds
    grouped: bool
    estimate: SelectionEstimateIn | None
    members: list[SelectionMemberIn] = Field(min_length=1, max_length=_MOST_MEMBERS)
    candidates: list[SelectionCandidateIn] = Field(min_length=1, max_length=_MOST_CANDIDATES)
    schedule: ScheduleIn
