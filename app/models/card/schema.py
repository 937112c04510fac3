"""The model card as JSON."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.models.card.reports import Part
from app.models.card.selection_schema import SelectionOut
from app.storage.documents import Config, Curves

_MODEL_ID = "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"
_PROMOTE = f"/models/{_MODEL_ID}/baselines/mlp/promote"
EXAMPLE_HEADLINE = (
    "A baseline beats this model on validation: MLP has accuracy 0.7500 against 0.7083 "
    "(24 buses); on test 0.7229 against 0.7108. The lead is 1 bus and may be chance (sign test: "
    f"p at least 1). POST {_PROMOTE} lets it answer instead."
)

ReplayVerdict = Literal["bit-equal", "within tolerance", "different", "not replayable"]


class PromotionOut(BaseModel):
    """One promotion of the model: when it became the active model, and why."""

    reason: str = Field(
        description="Reason that was given.", examples=["the first model of this grid and label"]
    )
    promoted_at: datetime = Field(
        description="Time of the promotion (UTC).", examples=["2026-11-16T05:20:31.118Z"]
    )


class IntervalOut(BaseModel):
    """Confidence interval of the test accuracy."""

    low: float = Field(description="Lower bound.", examples=[0.606])
    high: float = Field(description="Upper bound.", examples=[0.797])
    confidence: float = Field(description="Confidence level.", examples=[0.95])
    method: str = Field(description="Method of the interval.", examples=["Wilson score"])


class ReplayDifferenceOut(BaseModel):
    """One input or property of the machine that differs from the manifest of the model."""

    what: str = Field(description="Name of the property.", examples=["versions.torch"])
    stored: Any = Field(description="Value in the manifest.", examples=["2.12.1"])
    now: Any = Field(description="Value at the replay.", examples=["2.13.0"])


class ReplayOut(BaseModel):
    """One replay: the model was trained again from its manifest and compared."""

    job_id: str = Field(
        description="Job of the replay.", examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"]
    )
    replayed_at: datetime = Field(
        description="Time of the replay (UTC).", examples=["2026-11-16T06:01:12.430Z"]
    )
    verdict: ReplayVerdict = Field(description="Result of the comparison.")
    sentence: str = Field(
        description="The result in one sentence.",
        examples=["Trained again from the manifest: all 354 logits are bit-equal."],
    )
    compared: str = Field(
        description="`logits`, or `arrays` for methods that have no logits.", examples=["logits"]
    )
    count: int = Field(description="Count of compared numbers.", examples=[354])
    largest_difference: float | None = Field(
        description="Largest absolute difference; null if nothing was compared.", examples=[0.0]
    )
    tolerance: float = Field(
        description="Largest accepted difference: 0 on the same machine and package versions.",
        examples=[0.0],
    )
    weights_equal: bool = Field(
        description="Whether the SHA-256 of the weights is the same.", examples=[True]
    )
    predictions_equal: bool = Field(
        description="Whether the stored predictions are the same, bit for bit.", examples=[True]
    )
    differences: list[ReplayDifferenceOut] = Field(
        description="What differs from the manifest: graph, labels, split, config, versions ..."
    )
    seconds: float = Field(description="Duration of the replay in seconds.", examples=[4.1])


class FigureSummaryOut(BaseModel):
    """The four main figures on one part of the split; null where no bus decides them."""

    count: int | None = Field(None, description="Count of labelled buses.", examples=[83])
    accuracy: float | None = Field(None, description="Accuracy, 0 to 1.", examples=[0.7229])
    macro_f1: float | None = Field(None, description="F1, mean over classes.", examples=[0.6131])
    log_loss: float | None = Field(None, description="Mean log loss.", examples=[0.6845])


class PartFiguresOut(FigureSummaryOut):
    """The figures of the model on one part of its split."""

    expected_calibration_error: float | None = Field(
        None, description="Expected calibration error.", examples=[0.08]
    )


class ClassFiguresOut(BaseModel):
    """One class against all others, on the test buses."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    class_name: str = Field(alias="class", description="Name of the class.", examples=["load"])
    precision: float | None = Field(examples=[0.8])
    recall: float | None = Field(examples=[0.7])
    f1: float | None = Field(examples=[0.75])
    support: int = Field(description="Count of test buses of this class.", examples=[38])


class BaselineOut(BaseModel):
    """One baseline: a simple method, trained on the same split as the model."""

    key: str = Field(description="Identifies the baseline in paths.", examples=["mlp"])
    title: str = Field(description="Name of the method.", examples=["MLP"])
    skipped: str | None = Field(
        None, description="Reason why the baseline was not measured; null if it was."
    )
    seed: int | None = Field(None, description="Random seed.", examples=[0])
    tried: int | None = Field(
        None, description="Count of setting combinations that were measured.", examples=[2]
    )
    candidates: int | None = Field(
        None, description="Count of setting combinations that were planned.", examples=[2]
    )
    seconds: float | None = Field(None, description="Duration in seconds.", examples=[1.9])
    promotable: bool = Field(
        False, description="Whether the fitted baseline is stored.", examples=[True]
    )
    promote: str | None = Field(
        None,
        description="POST to this path lets the baseline answer; null if only its figures are "
        "stored.",
        examples=[_PROMOTE],
    )
    settings: Config | None = Field(
        None,
        description="Settings with the highest validation accuracy.",
        examples=[{"width": 64, "dropout": 0.0}],
    )
    description: str | None = Field(None, description="The fitted method in words, if available.")
    validation: FigureSummaryOut | None = Field(None, description="On the validation buses.")
    test: FigureSummaryOut | None = Field(None, description="On the test buses.")
    owner_id: str | None = Field(
        None, description="Model that the fitted baseline is stored with, if it is another one."
    )
    model_id: str | None = Field(
        None, description="Id of the compared method if it is itself a stored model."
    )


class BaselinesOut(BaseModel):
    """All baselines of a model."""

    seconds_allowed: float | None = Field(
        None, description="Time limit for all baselines together, in seconds.", examples=[60]
    )
    omitted: str | None = Field(None, description="Reason why no baseline was measured.")
    shared_from: str | None = Field(
        None, description="Model of the same sweep that the baselines were measured with."
    )
    items: list[BaselineOut] = Field([], description="One entry per baseline.")


class CardModelOut(BaseModel):
    """Which model the card is about."""

    id: str = Field(examples=[_MODEL_ID])
    kind: str = Field(description="Key of the method.", examples=["lfgcn"])
    what: str = Field(description="The method and its task in words.")
    job_id: str | None = Field(description="Training job of the model.")
    created_at: datetime = Field(description="Time when the model was stored (UTC).")
    sha256: str = Field(description="SHA-256 of the weights file.")
    origin: dict[str, Any] | None = Field(
        description="Where a promoted baseline or an imported model comes from."
    )


class CardDataOut(BaseModel):
    """Grid, label and features that the model was trained on."""

    graph_id: str
    grid: str = Field(description="Name of the grid.", examples=["case118"])
    source: str = Field(description="Where the grid came from.")
    buses: int = Field(examples=[118])
    branches: int = Field(examples=[179])
    islands: int = Field(description="Count of connected parts of the grid.", examples=[1])
    features: list[str] = Field(description="Columns used.", examples=[["Pd", "Qd"]])
    hidden: dict[str, str] = Field(
        {},
        description="Columns that the label hides from the features, with the reasons.",
        examples=[{"generators": "it shows whether a generator is connected"}],
    )
    label: str = Field(examples=["role"])
    label_version: int = Field(description="Version of the label set.", examples=[1])
    label_definition: str | None = Field(description="Definition of the classes.")
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    content_hash: str = Field(description="SHA-256 of the whole grid.")
    graph_hash: str | None = Field(description="SHA-256 of the topology and features used.")
    label_hash: str | None = Field(description="SHA-256 of the labels.")


class CardSplitOut(BaseModel):
    """How the labelled buses were divided into training, validation and test buses."""

    kind: str | None = Field(examples=["stratified"])
    seed: int | None = Field(examples=[0])
    fractions: list[float] | None = Field(examples=[[0.1, 0.2, 0.7]])
    hash: str | None = Field(description="SHA-256 of the split.")
    counts: dict[Part, int | None] = Field(
        description="Count of buses per part.",
        examples=[{"train": 11, "validation": 24, "test": 83}],
    )


class CardOut(BaseModel):
    """A model card: what the model is, what it was trained on, and how good it is."""

    headline: str = Field(
        description="Whether a baseline has a higher validation accuracy than the model.",
        examples=[EXAMPLE_HEADLINE],
    )
    warnings: list[str] = Field(
        description="Warnings; also part of every answer of `/predict`.",
        examples=[[EXAMPLE_HEADLINE]],
    )
    active: bool = Field(
        description="Whether this is the active model of its grid and label.", examples=[True]
    )
    answers: str | None = Field(
        description="Shortest request that the model answers by default; null if not active.",
        examples=["GET /predict"],
    )
    model: CardModelOut
    promotions: list[PromotionOut] = Field(
        description="Every promotion of the model, oldest first."
    )
    replays: list[ReplayOut] = Field(description="Every replay of the model, newest first.")
    data: CardDataOut
    config: Config = Field(
        description="Settings of the training run.",
        examples=[{"alpha": 0.2, "sigma": 0.5, "gamma": 0.1}],
    )
    making: dict[str, Any] = Field(
        description="Further facts of the training run: seed, scaling, device, versions.",
        examples=[{"seed": 0, "device": "cpu"}],
    )
    split: CardSplitOut
    metrics: dict[Part, PartFiguresOut] = Field(
        description="Figures on the training, validation and test buses."
    )
    test_interval: IntervalOut | None = Field(
        description="Confidence interval of the test accuracy, or of the expected accuracy after "
        "an automatic choice; null without either."
    )
    selection: SelectionOut | None = Field(
        None, description="How the method was chosen; null if the request named it."
    )
    per_class: list[ClassFiguresOut] = Field(description="One row per class, on test buses.")
    confusion: list[list[int]] | None = Field(
        description="Confusion matrix on test buses: rows are true classes, columns predicted.",
        examples=[[[5, 1], [2, 30]]],
    )
    curves: Curves = Field(
        description="Loss and accuracy per epoch.",
        examples=[{"epoch": [1, 2], "train_loss": [1.1, 0.9]}],
    )
    baselines: BaselinesOut | None = Field(
        description="Simple methods on the same split; null if they were not measured."
    )
    best_baseline: BaselineOut | None = Field(
        description="The baseline with the highest validation accuracy."
    )
    suitability: dict[str, Any] | None = Field(
        description="Report on the label: what the features reveal and what the graph adds.",
        examples=[{"majority": 0.4576, "gives_away": [], "verdict": "..."}],
    )
    limits: list[str] = Field(
        description="Limits of the model in sentences.",
        examples=[
            ["The figures come from one split and one seed; another split gives other figures."]
        ],
    )
