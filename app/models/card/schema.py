"""How a model card looks on the wire."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

_PROMOTE = "/models/7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f/baselines/mlp/promote"
EXAMPLE_HEADLINE = (
    "A baseline beats this model on validation: MLP has accuracy 0.7500 against 0.7083 "
    f"(24 buses); on test 0.7229 against 0.7108. POST {_PROMOTE} lets it answer instead."
)
_BASELINE = {
    "key": "mlp",
    "title": "MLP",
    "skipped": None,
    "seed": 0,
    "tried": 2,
    "candidates": 2,
    "seconds": 1.9,
    "promotable": True,
    "promote": _PROMOTE,
    "settings": {"width": 64, "dropout": 0.0},
    "description": None,
    "validation": {"count": 24, "accuracy": 0.75, "macro_f1": 0.7466, "log_loss": 0.6271},
    "test": {"count": 83, "accuracy": 0.7229, "macro_f1": 0.6131, "log_loss": 0.6845},
}


class PromotionOut(BaseModel):
    """Once that the model became the active one."""

    reason: str = Field(examples=["the first model of this grid and label"])
    promoted_at: datetime = Field(examples=["2026-11-16T05:20:31.118Z"])


class IntervalOut(BaseModel):
    """Where the test accuracy lies with some confidence."""

    low: float = Field(examples=[0.606])
    high: float = Field(examples=[0.797])
    confidence: float = Field(examples=[0.95])
    method: str = Field(examples=["Wilson score"])


class ReplayOut(BaseModel):
    """Once that the model was made again from its manifest."""

    job_id: str = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    replayed_at: datetime = Field(examples=["2026-11-16T06:01:12.430Z"])
    verdict: Literal["bit-equal", "within tolerance", "different", "not replayable"]
    sentence: str = Field(examples=["Made again from its manifest: all 354 logits are bit-equal."])
    compared: str = Field(description="`logits`, or `arrays` where a method has none.")
    count: int = Field(description="How many numbers were compared.", examples=[354])
    largest_difference: float | None = Field(examples=[0.0])
    tolerance: float = Field(
        description="What is allowed: nothing, unless the machine is another.", examples=[0.0]
    )
    weights_equal: bool = Field(description="Whether their SHA-256 is the same.", examples=[True])
    predictions_equal: bool = Field(examples=[True])
    differences: list[dict[str, Any]] = Field(
        description="What is not as in the manifest: graph, labels, split, config, versions ...",
        examples=[[{"what": "versions.torch", "stored": "2.12.1", "now": "2.13.0"}]],
    )
    seconds: float = Field(examples=[4.1])


class CardOut(BaseModel):
    """What a model is, what it was made of, and what it is worth."""

    headline: str = Field(
        description="Whether a baseline beats it on validation.", examples=[EXAMPLE_HEADLINE]
    )
    warnings: list[str] = Field(
        description="Also in each answer of it.", examples=[[EXAMPLE_HEADLINE]]
    )
    active: bool = Field(examples=[True])
    answers: str | None = Field(
        description="The shortest request that it answers; null if it is not active.",
        examples=["GET /predict"],
    )
    model: dict[str, Any] = Field(
        description="Its id, kind, SHA-256 and when it was made.",
        examples=[{"id": "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f", "kind": "lfgcn"}],
    )
    promotions: list[PromotionOut] = Field(description="When and why it became active.")
    replays: list[ReplayOut] = Field(description="Whether it can be made again, newest first.")
    data: dict[str, Any] = Field(
        description="Grid, label and features, with their hashes.",
        examples=[{"grid": "case118", "buses": 118, "label": "role", "features": ["Pd", "Qd"]}],
    )
    config: dict[str, Any] = Field(examples=[{"alpha": 0.2, "sigma": 0.5, "gamma": 0.1}])
    making: dict[str, Any] = Field(
        description="Seed, scaling, device, versions.", examples=[{"seed": 0, "device": "cpu"}]
    )
    split: dict[str, Any] = Field(
        description="How the labelled buses were divided.",
        examples=[{"kind": "stratified", "counts": {"train": 11, "validation": 24, "test": 83}}],
    )
    metrics: dict[str, dict[str, Any]] = Field(
        description="Of training, validation and test, each with the count of buses.",
        examples=[{"test": {"count": 83, "accuracy": 0.7108, "macro_f1": 0.61}}],
    )
    test_interval: IntervalOut | None = Field(description="Of the test accuracy.")
    per_class: list[dict[str, Any]] = Field(
        description="On test.",
        examples=[[{"class": "load", "precision": 0.8, "recall": 0.7, "f1": 0.75, "support": 38}]],
    )
    confusion: list[list[int]] | None = Field(
        description="On test: rows are true, columns predicted classes.",
        examples=[[[5, 1], [2, 30]]],
    )
    curves: dict[str, Any] = Field(examples=[{"epoch": [1, 2], "train_loss": [1.1, 0.9]}])
    baselines: dict[str, Any] | None = Field(
        description="Simple methods on the same split, or why one was left out.",
        examples=[{"seconds_allowed": 60, "omitted": None, "items": [_BASELINE]}],
    )
    best_baseline: dict[str, Any] | None = Field(
        description="The one best on validation.", examples=[_BASELINE]
    )
    suitability: dict[str, Any] | None = Field(
        description="What the features give away of the label, what the graph carries.",
        examples=[{"majority": 0.4576, "gives_away": [], "verdict": "..."}],
    )
    limits: list[str] = Field(
        examples=[["Its figures are of one split and one seed; another draw gives others."]]
    )
