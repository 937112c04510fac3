"""Types of the JSON documents in the database: one per column.

Figures and baseline reports have the types of ``ml``. Rows keep the JSON that was stored. A field
that older rows or other kinds of job lack may be absent; ``app.models.card.reports`` reads figures
with defaults for those.
"""

from typing import TypedDict

from app.errors import ProblemBody
from ml import BaselineDocument, FigureDocument

SettingValue = str | int | float | bool | None
"""The value of a setting of a method; settings are never nested."""
Config = dict[str, SettingValue]
"""The settings of a run, under the names that models are stored with."""
Curves = dict[str, list[int | float | None]]
"""Learning curves: the epochs and the figures of each, by name; null where not finite."""
SplitRequestDocument = dict[str, str | int | list[float]]
"""How a split was drawn: its kind and, unless it is cross-validation, seed and fractions."""


class SplitDocument(TypedDict, total=False):
    """The positions of the buses of each part, and the hash that identifies the split."""

    hash: str
    train: list[int]
    validation: list[int]
    test: list[int]


class OriginDocument(TypedDict, total=False):
    """Where a promoted baseline or an imported model comes from."""

    kind: str
    model_id: str
    key: str
    created_at: str
    file_sha256: str
    predictions: str


class ManifestDocument(TypedDict, total=False):
    """The data, settings and machine that a model was made with."""

    format: str
    config: Config
    seed: int | None
    feature_names: list[str]
    class_names: list[str]
    scaling: dict[str, object] | None
    graph_hash: str
    label_hash: str
    label_definition: str | None
    hidden_columns: dict[str, str]
    revealed_columns: dict[str, str]
    split: SplitDocument | None
    split_request: SplitRequestDocument | None
    best_epoch: int | None
    device: str | None
    threads: int | None
    cpu: str | None
    versions: dict[str, str]
    selection: dict[str, object]
    origin: OriginDocument
    tensors: dict[str, list[int]]
    types: dict[str, str]
    sha256: str
    predictions_sha256: str


class BaselinesDocument(TypedDict, total=False):
    """All baselines of a model; ``omitted`` is the reason why none was measured."""

    seconds_allowed: float
    omitted: str | None
    shared_from: str
    items: list[BaselineDocument]


class SuitabilityDocument(TypedDict, total=False):
    """The report on a label set; ``app.labels.suitability.Suitability`` writes it."""

    class_counts: dict[str, int]
    classes_too_small: list[str]
    majority: float
    adjusted_homophily: float | None
    label_propagation: float | None
    features_alone: float | None
    single_columns: list[dict[str, str | float]]
    gives_away: list[str]
    hidden: dict[str, str]
    verdict: str


class ReplayDocument(TypedDict):
    """The comparison of a model with the one that was trained again from its manifest."""

    verdict: str
    sentence: str
    compared: str
    count: int
    largest_difference: float | None
    tolerance: float
    weights_equal: bool
    predictions_equal: bool
    differences: list[dict[str, object]]
    seconds: float


class JobPayload(TypedDict, total=False):
    """The request of a job; each kind of job writes the fields that it reads."""

    graph_id: str
    label: str
    kind: str
    model_id: str
    features: list[str]
    split: SplitRequestDocument | None
    config: Config
    baselines: bool
    baseline_config: Config
    sweep_id: str


class JobProgress(TypedDict, total=False):
    """How far a job has come; ``done`` of ``total`` steps, or epochs and their figures."""

    done: int
    total: int
    epoch: int
    epochs: int
    stage: str
    estimated_seconds: float
    train_loss: float | None
    validation_loss: float | None
    train_accuracy: float | None
    validation_accuracy: float | None
    curves: Curves
    baselines: list[BaselineDocument]


class JobResult(TypedDict, total=False):
    """What a succeeded job has stored."""

    graph_id: str
    label: str
    model_id: str
    validation: FigureDocument
    test: FigureDocument
    replay: ReplayDocument


class StateEvent(TypedDict, total=False):
    """A change of the state of a job, or its end; other events are its progress."""

    state: str
    attempt: int
    cancel_requested: bool
    result: JobResult | None
    error: ProblemBody | None


class AnswerDocument(TypedDict, total=False):
    """The response to a request that created jobs."""

    href: str
    job_id: str
    sweep_id: str
    state: str
    warnings: list[str]


class SweepRequestDocument(TypedDict):
    """The request of a sweep: the names of the varied settings, their values, and the base."""

    parameters: list[str]
    sweep: dict[str, object]
    base: JobPayload
