"""The body of POST /train."""

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError

from app.http.json_body import BodyIn
from app.jobs.service import HIGHEST_PRIORITY
from app.models.schemas import SplitIn
from app.sweeps.schemas import SweepIn
from app.train.config import config_schema


class TrainIn(BodyIn):
    """Which label of which grid to learn, from which columns, and with which settings."""

    graph: str | None = Field(
        None,
        max_length=200,
        description="Name of the grid instead of `graph_id`: its newest version.",
        examples=["case118"],
    )
    graph_id: str = Field(
        "",
        max_length=32,
        validate_default=True,
        description="Grid to train on; required without `graph`.",
        examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"],
    )
    label: str | None = Field(
        None,
        max_length=100,
        description="Label set to learn. Default: the only label set of the grid, else `role`.",
    )
    config: Annotated[dict[str, Any], WithJsonSchema(config_schema())] = Field(
        {},
        max_length=100,
        description="Settings that differ from their default values. With none, or with `seed` and "
        "`budget_seconds` only, the best method is chosen by cross-validation over all known "
        "labels (`auto`); settings of a network train that network, LFGCN unless `method` names "
        "another.",
    )
    features: list[str] | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="Columns of the buses to learn from. Default: those of Pd, Qd, Vm, Va and "
        "base_kv that the grid has; if it has none of them, all feature columns. Columns that the "
        "label hides (`hides` of the label set) are left out, and refused if this list names them.",
    )
    use_hidden: bool = Field(
        False,
        description="Whether `features` may name columns that give the label away. The model card "
        "and every prediction then carry a warning.",
    )
    split: SplitIn | Literal["paper"] | None = Field(
        None,
        description="How the labelled buses are divided into training, validation and test buses: "
        "drawn by fractions, or lists of bus ids; `paper` is a random 10/20/70 split. Default: "
        "with `auto` none, all labels are used and the figures are out of fold "
        "(cross-validation); with other methods stratified 10/20/70.",
    )
    baselines: bool = Field(
        True,
        description="Whether to measure simple methods on the same split for the model card.",
    )
    sweep: SweepIn | None = Field(
        None,
        description="Trains many models with varied settings, reported at `/sweeps/{id}`. Varied "
        "settings replace those in `config`.",
    )
    priority: int = Field(
        0, ge=0, le=HIGHEST_PRIORITY, description="Jobs with a higher priority start first."
    )

    @field_validator("graph_id")
    @classmethod
    def _require_grid(cls, graph_id: str, fields: ValidationInfo) -> str:
        if not graph_id and fields.data.get("graph", "") is None:
            raise PydanticCustomError("missing", "Field required, unless `graph` names the grid")
        return graph_id
