"""Models as JSON, and the request bodies that refer to them."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Path
from pydantic import BaseModel, Field

from app.http.json_body import BodyIn
from app.models.active import ActiveStatus
from app.models.card.card import describe_best_baseline
from app.models.card.headline import find_better_baseline, list_baseline_warnings
from app.models.card.schema import BaselineOut
from app.storage.documents import Config, Curves
from app.storage.tables import ModelRow

BusId = Annotated[str, Field(max_length=200)]
MOST_LISTED_BUSES = 200_000
ModelId = Annotated[str, Path(max_length=64, description="Id of the model.")]
_NO_REASON = "promoted by hand, no reason given"
_OWN_FIELDS = ("config", "best_epoch", "graph_hash", "label_hash")
"""Parts of the manifest that are fields of ``ModelDetailOut``."""


class BetterBaselineOut(BaseModel):
    """A baseline with a higher validation accuracy than the model."""

    key: str = Field(description="Identifies the baseline in paths.", examples=["forest"])
    title: str = Field(description="Name of the method.", examples=["Random forest"])
    accuracy: float = Field(description="Validation accuracy, 0 to 1.", examples=[0.75])
    promote: str | None = Field(
        description="POST to this path, optionally with a reason, lets the baseline answer; "
        "null if only its figures are stored.",
        examples=["/models/7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f/baselines/forest/promote"],
    )

    @classmethod
    def from_model(cls, row: ModelRow) -> Self | None:
        """Return the baseline that beats a model on validation, if one does."""
        better = find_better_baseline(row)
        if better is None or better.validation.accuracy is None:
            return None
        return cls(
            key=better.key,
            title=better.title,
            accuracy=better.validation.accuracy,
            promote=better.promote_path(row.id),
        )


class ModelOut(BaseModel):
    """A model in a listing."""

    id: str = Field(examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"])
    graph_id: str = Field(
        description="Grid that the model predicts.", examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"]
    )
    label: str = Field(description="Label set that the model has learnt.", examples=["role"])
    label_version: int = Field(
        description="Version of the label set that the model has learnt.", examples=[1]
    )
    kind: str = Field(description="Key of the method.", examples=["lfgcn"])
    class_names: list[str] = Field(
        description="Classes that the model distinguishes.",
        examples=[["neither", "load", "generator"]],
    )
    job_id: str | None = Field(
        description="Training job; null for imported models and promoted baselines.",
        examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"],
    )
    active: bool = Field(
        description="Whether the model answers for its grid and label by default.", examples=[True]
    )
    metrics: dict[str, Any] = Field(
        description="Figures on the training, validation and test buses: count, accuracy, "
        "macro F1 and more.",
        examples=[{"test": {"count": 82, "accuracy": 0.817, "macro_f1": 0.62}}],
    )
    better_baseline: BetterBaselineOut | None = Field(
        description="The best baseline, if its validation accuracy is higher than the model's."
    )
    sha256: str = Field(
        description="SHA-256 of the weights (safetensors).", examples=["b1946ac92492..."]
    )
    created_at: datetime = Field(
        description="Time when the model was stored (UTC).", examples=["2026-11-16T05:20:31.118Z"]
    )

    @classmethod
    def from_row(cls, row: ModelRow, *, active: bool) -> Self:
        """Translate a row."""
        return cls.model_validate(_read_fields(row, ModelOut) | {"active": active})


class ModelDetailOut(ModelOut):
    """A model with its settings, hashes, warnings and curves; without its weights."""

    promotion: str | None = Field(
        description="Reason why the model is active; null if it is not.",
        examples=["the first model of this grid and label"],
    )
    answers: str | None = Field(
        description="Shortest request that the model answers by default; null if not active.",
        examples=["GET /predict?graph_id=0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"],
    )
    config: Config = Field(
        description="Settings of the training run.",
        examples=[{"alpha": 0.2, "sigma": 0.5, "gamma": 0.1}],
    )
    best_epoch: int | None = Field(
        description="Epoch with the best validation accuracy, whose weights were stored.",
        examples=[140],
    )
    graph_hash: str | None = Field(description="SHA-256 of the topology and features used.")
    label_hash: str | None = Field(description="SHA-256 of the labels.")
    split_hash: str | None = Field(description="SHA-256 of the split.")
    warnings: list[str] = Field(
        description="Warning that a baseline has a higher validation accuracy, if one has.",
        examples=[[]],
    )
    best_baseline: BaselineOut | None = Field(
        description="The baseline with the highest validation accuracy; the model card has all."
    )
    manifest: dict[str, Any] = Field(
        description="Further facts of the training run: features, scaling, seed, device, versions."
    )
    curves: Curves = Field(description="Loss and accuracy per epoch.")

    @classmethod
    def from_model(cls, row: ModelRow, status: ActiveStatus | None) -> Self:
        """Translate a row and its status as the active model."""
        own = {name: row.manifest.get(name) for name in _OWN_FIELDS}
        shown_elsewhere = {*own, "split"}  # the positions of the split can be many
        rest = {name: v for name, v in row.manifest.items() if name not in shown_elsewhere}
        return cls(
            **_read_fields(row, ModelOut),
            **own,
            active=status is not None,
            promotion=None if status is None else status.reason,
            answers=None if status is None else status.answers,
            split_hash=(row.manifest.get("split") or {}).get("hash"),
            warnings=list_baseline_warnings(row),
            best_baseline=describe_best_baseline(row),
            manifest=rest,
            curves=row.curves,
        )


class PromoteIn(BodyIn):
    """The reason of a promotion. Without a body, a default text is stored as the reason."""

    reason: str = Field(
        min_length=1,
        max_length=500,
        pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$",
        description="Why this model is promoted; shown on its model card.",
        examples=["checked against the operators' list"],
    )


def read_reason(body: PromoteIn | None) -> str:
    """Return the reason of a promotion, or the text that is stored if none was given."""
    return _NO_REASON if body is None else body.reason


class ModelPage(BaseModel):
    """One page of models, newest first."""

    items: list[ModelOut]
    next_cursor: str | None = Field(
        description="Pass it as `cursor` to get the next page; null on the last page."
    )


class SplitIn(BodyIn):
    """How the labelled buses are divided into training, validation and test buses.

    `stratified` divides each class separately. `random` (as in the paper) ignores the classes:
    with 11 training buses of 118, one split in three contains no bus of the rarest class.
    Lists of bus ids divide them as given; labels of buses in no list are not used.
    """

    kind: Literal["stratified", "random", "lists"] = Field(
        "stratified",
        description="Whether each class is divided separately; `lists` follows from `train`.",
    )
    seed: int = Field(0, ge=0, lt=2**32, description="Random seed of the split.")
    fractions: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        [0.1, 0.2, 0.7],
        min_length=3,
        max_length=3,
        description="Fractions of training, validation and test buses; their sum is 1.",
    )
    train: list[BusId] | None = Field(
        None,
        max_length=MOST_LISTED_BUSES,
        description="Ids of the training buses, instead of `kind`, `seed` and `fractions`.",
    )
    validation: list[BusId] | None = Field(
        None,
        max_length=MOST_LISTED_BUSES,
        description="Ids of the validation buses; the automatic choice trains on them as well.",
    )
    test: list[BusId] | None = Field(
        None, max_length=MOST_LISTED_BUSES, description="Ids of the test buses."
    )

    @property
    def is_listed(self) -> bool:
        """Whether the request names buses."""
        return self.kind == "lists" or any(part is not None for part in self.lists.values())

    @property
    def lists(self) -> dict[str, list[str] | None]:
        """The lists of bus ids by part."""
        return {"train": self.train, "validation": self.validation, "test": self.test}

    def describe(self) -> dict[str, Any]:
        """Return how the split was drawn; listed buses are kept as positions elsewhere."""
        if self.is_listed:
            return {"kind": "lists"}
        return self.model_dump(include={"kind", "seed", "fractions"})

    def as_payload(self) -> dict[str, Any]:
        """Return everything that is needed to draw the split again."""
        named = {part: ids for part, ids in self.lists.items() if ids is not None}
        return {**self.describe(), **named}


def _read_fields(row: ModelRow, kind: type[BaseModel]) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in kind.model_fields if hasattr(ModelRow, name)}
    return fields | {"better_baseline": BetterBaselineOut.from_model(row)}
