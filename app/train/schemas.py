"""How a training request looks on the wire."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from app.http.json_body import BodyIn
from app.jobs.service import HIGHEST_PRIORITY
from app.sweeps.schemas import SweepIn
from app.train.config import config_schema

SplitKind = Literal["stratified", "random"]
Fraction = Annotated[float, Field(gt=0, lt=1)]


class SplitIn(BodyIn):
    """How the labelled buses are divided into training, validation and test.

    ``stratified`` divides class by class: with 11 training buses of 118 a ``random`` split
    (the paper's) misses the rarest class in one draw of three.
    """

    kind: SplitKind = "stratified"
    seed: int = Field(0, ge=0, lt=2**32)
    fractions: list[Fraction] = Field([0.1, 0.2, 0.7], min_length=3, max_length=3)


class TrainIn(BodyIn):
    """What to learn, from which columns, and how."""

    graph_id: str = Field(max_length=32, examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    label: str | None = Field(
        None, max_length=100, description="Default: `role`, or the only label set of the grid."
    )
    config: Annotated[dict[str, Any], WithJsonSchema(config_schema())] = Field(
        {}, max_length=100, description="Settings that differ from their defaults."
    )
    features: list[str] | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="Default: Pd, Qd, Vm, Va, base_kv, else every column.",
    )
    split: SplitIn = SplitIn()
    baselines: bool = Field(
        True,
        description="Whether to measure simple methods on the same split for the model card.",
    )
    sweep: SweepIn | None = Field(
        None,
        description="Train many times with varied settings; follow it at `/sweeps/{id}`. What "
        "is varied takes the place of the same setting in `config`.",
    )
    priority: int = Field(0, ge=0, le=HIGHEST_PRIORITY, description="Higher runs sooner.")
