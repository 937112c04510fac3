"""How models look on the wire."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from app.http.json_body import BodyIn
from app.models.active import Standing
from app.models.card.headline import find_best_baseline, find_better, list_warnings
from app.storage.tables import ModelRow


class BetterBaselineOut(BaseModel):
    """A simple method that is better on validation, and how to let it answer."""

    key: str = Field(examples=["forest"])
    title: str = Field(examples=["Random forest"])
    accuracy: float = Field(description="On validation.", examples=[0.75])
    promote: str | None = Field(
        description="POST here, with a reason if you like; null if only its figures were stored.",
        examples=["/models/7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f/baselines/forest/promote"],
    )

    @classmethod
    def from_model(cls, row: ModelRow) -> Self | None:
        """Return the baseline that beats a model, if one does."""
        better = find_better(row)
        if better is None:
            return None
        told = {name: better[name] for name in ("key", "title", "promote")}
        return cls(**told, accuracy=better["validation"]["accuracy"])


class ModelOut(BaseModel):
    """A model in a listing."""

    id: str = Field(examples=["7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"])
    graph_id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    label: str = Field(examples=["role"])
    kind: str = Field(examples=["lfgcn"])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    job_id: str | None = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    active: bool = Field(
        description="Whether it answers for its grid and label by default.", examples=[True]
    )
    metrics: dict[str, Any] = Field(
        description="For train, validation and test: count, accuracy, macro F1 and more.",
        examples=[{"test": {"count": 82, "accuracy": 0.817, "macro_f1": 0.62}}],
    )
    better_baseline: BetterBaselineOut | None = Field(
        description="The simple method that beats it on validation, if one does."
    )
    sha256: str = Field(description="Of the weights (safetensors).", examples=["b1946ac92492..."])
    created_at: datetime = Field(examples=["2026-11-16T05:20:31.118Z"])

    @classmethod
    def from_row(cls, row: ModelRow, *, active: bool) -> Self:
        """Translate a row."""
        return cls.model_validate(_fields(row, ModelOut) | {"active": active})


class ModelDetailOut(ModelOut):
    """A model with everything that decides and describes it, but its weights."""

    promotion: str | None = Field(
        description="Why it is the active one.", examples=["the first model of this grid and label"]
    )
    answers: str | None = Field(
        description="The shortest request that it answers; null if it is not active.",
        examples=["GET /predict?graph_id=0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"],
    )
    config: dict[str, Any] = Field(examples=[{"alpha": 0.2, "sigma": 0.5, "gamma": 0.1}])
    best_epoch: int | None = Field(examples=[140])
    graph_hash: str | None = Field(description="SHA-256 of topology and features it learnt from.")
    label_hash: str | None
    split_hash: str | None
    warnings: list[str] = Field(
        description="That a baseline beats the model on validation, if one does.", examples=[[]]
    )
    best_baseline: dict[str, Any] | None = Field(
        description="The baseline best on validation; all are on the card.",
        examples=[{"key": "mlp", "title": "MLP", "validation": {"accuracy": 0.75}}],
    )
    manifest: dict[str, Any] = Field(description="Features, scaling, seed, device, versions.")
    curves: dict[str, Any]

    @classmethod
    def from_model(cls, row: ModelRow, standing: Standing | None) -> Self:
        """Translate a row and where it answers."""
        told = {name: row.manifest.get(name) for name in _TOLD_APART}
        rest = {name: value for name, value in row.manifest.items() if name not in told}
        split = rest.pop("split", {})  # its positions can be many; its hash identifies it
        known = _fields(row, ModelOut) | told
        return cls(
            **known,
            active=standing is not None,
            promotion=None if standing is None else standing.reason,
            answers=None if standing is None else standing.answers,
            split_hash=split.get("hash"),
            warnings=list_warnings(row),
            best_baseline=find_best_baseline(row),
            manifest=rest,
            curves=row.curves,
        )


NO_REASON = "promoted by hand, no reason given"


class PromoteIn(BodyIn):
    """Why this model is to answer; without a body the card says that nobody gave a reason."""

    reason: str = Field(
        min_length=1,
        max_length=500,
        pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$",
        description="Stays on the card of the model.",
        examples=["checked against the operators' own list"],
    )


class ModelPage(BaseModel):
    """Models, newest first."""

    items: list[ModelOut]
    next_cursor: str | None = Field(description="Give it as `cursor` for the next page.")


_TOLD_APART = ("config", "best_epoch", "graph_hash", "label_hash")


def _fields(row: ModelRow, kind: type[BaseModel]) -> dict[str, Any]:
    known = {name: getattr(row, name) for name in kind.model_fields if hasattr(ModelRow, name)}
    return known | {"better_baseline": BetterBaselineOut.from_model(row)}
