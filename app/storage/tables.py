"""Every table. Bulk data are packed arrays: an 82,000-bus grid is one row, not 82,000."""

from datetime import datetime

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.errors import ProblemBody
from app.storage.columns import Base, Id, Json
from app.storage.documents import (
    AnswerDocument,
    BaselinesDocument,
    Curves,
    JobPayload,
    JobProgress,
    JobResult,
    ManifestDocument,
    ReplayDocument,
    StateEvent,
    SuitabilityDocument,
    SweepRequestDocument,
)
from ml import MetricsDocument


class GraphRow(Base):
    """One version of a grid; its content is immutable. All versions of a grid have one name."""

    __tablename__ = "graphs"
    __table_args__ = (
        Index("ix_graphs_family_version", "family", "version", unique=True),
        Index("ix_graphs_owner_name_version", "owner", "name", "version", unique=True),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(100))
    name: Mapped[str] = mapped_column(String(200))
    source: Mapped[str] = mapped_column(String(200))
    content_hash: Mapped[str] = mapped_column(String(64), unique=True)
    bus_count: Mapped[int]
    branch_count: Mapped[int]
    island_count: Mapped[int]
    feature_names: Mapped[list[str]]
    report: Mapped[dict[str, object]] = mapped_column(Json)
    arrays: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    family: Mapped[str] = mapped_column(Id)
    """The id of the first version, which may have been deleted."""
    version: Mapped[int]
    version_of: Mapped[str | None] = mapped_column(Id)
    created_at: Mapped[datetime] = mapped_column(index=True)


class _LabelColumns:
    graph_id: Mapped[str] = mapped_column(
        ForeignKey("graphs.id", ondelete="CASCADE"), primary_key=True
    )
    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    class_names: Mapped[list[str]]
    definition: Mapped[str]
    source: Mapped[str] = mapped_column(String(40))
    hides: Mapped[dict[str, str] | None] = mapped_column(Json)
    classes: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    created_at: Mapped[datetime]


class LabelRow(_LabelColumns, Base):
    """The newest version of a label set of a grid: a class per labelled bus."""

    __tablename__ = "labels"
    version: Mapped[int]


class ReplacedLabelRow(_LabelColumns, Base):
    """An earlier version of a label set, kept for the models that learnt it; immutable."""

    __tablename__ = "replaced_labels"
    version: Mapped[int] = mapped_column(primary_key=True)


class SuitabilityRow(Base):
    """The suitability report of a label set; null until the job that measures it has ended."""

    __tablename__ = "suitability_reports"
    __table_args__ = (
        ForeignKeyConstraint(
            ["graph_id", "label"], ["labels.graph_id", "labels.name"], ondelete="CASCADE"
        ),
    )

    graph_id: Mapped[str] = mapped_column(Id, primary_key=True)
    label: Mapped[str] = mapped_column(String(100), primary_key=True)
    job_id: Mapped[str | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    report: Mapped[SuitabilityDocument | None] = mapped_column(Json)
    created_at: Mapped[datetime]


class JobRow(Base):
    """A unit of work. This table is authoritative; a broker only delivers ids."""

    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_queue", "state", "priority", "created_at"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    payload: Mapped[JobPayload] = mapped_column(Json)
    state: Mapped[str] = mapped_column(String(16))
    queue: Mapped[str] = mapped_column(String(16))
    priority: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    handed_back: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String(200))
    lease_until: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    progress: Mapped[JobProgress] = mapped_column(Json)
    event_count: Mapped[int] = mapped_column(default=0)
    threads: Mapped[int | None]
    error: Mapped[ProblemBody | None] = mapped_column(Json)
    result: Mapped[JobResult | None] = mapped_column(Json)
    request_id: Mapped[str | None] = mapped_column(String(64))
    graph_id: Mapped[str | None] = mapped_column(ForeignKey("graphs.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(index=True)
    dispatched_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class JobEventRow(Base):
    """One change of a job; ``sequence`` counts from one without gaps."""

    __tablename__ = "job_events"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    sequence: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    data: Mapped[StateEvent | JobProgress] = mapped_column(Json)


class WorkerRow(Base):
    """A worker; it counts as running as long as its heartbeat is recent."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    host: Mapped[str] = mapped_column(String(200))
    queues: Mapped[list[str]]
    device: Mapped[str] = mapped_column(String(16))
    concurrency: Mapped[int]
    heartbeat_at: Mapped[datetime]


class IdempotencyKeyRow(Base):
    """An `Idempotency-Key` of a request that created jobs, and the response it received."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    answer: Mapped[AnswerDocument] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(index=True)


class CheckpointRow(Base):
    """The newest checkpoint of a job; apart from the jobs row, which changes often."""

    __tablename__ = "checkpoints"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int]
    epoch: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class SweepRow(Base):
    """One request that created many jobs; its state is derived from theirs.

    ``request`` is the request itself, with the names of the varied settings as ``parameters``.
    """

    __tablename__ = "sweeps"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    graph_id: Mapped[str | None] = mapped_column(ForeignKey("graphs.id", ondelete="SET NULL"))
    label: Mapped[str] = mapped_column(String(100))
    request: Mapped[SweepRequestDocument] = mapped_column(Json)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(index=True)


class SweepTrialRow(Base):
    """One job of a sweep; ``position`` is its place in the plan."""

    __tablename__ = "sweep_trials"

    sweep_id: Mapped[str] = mapped_column(
        ForeignKey("sweeps.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), unique=True)


class ModelRow(Base):
    """A trained, stored predictor; immutable."""

    __tablename__ = "models"
    __table_args__ = (Index("ix_models_graph_label", "graph_id", "label"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    graph_id: Mapped[str] = mapped_column(ForeignKey("graphs.id", ondelete="CASCADE"))
    label: Mapped[str] = mapped_column(String(100))
    label_version: Mapped[int]
    job_id: Mapped[str | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), unique=True
    )
    kind: Mapped[str] = mapped_column(String(32))
    class_names: Mapped[list[str]]
    manifest: Mapped[ManifestDocument] = mapped_column(Json)
    metrics: Mapped[dict[str, MetricsDocument]] = mapped_column(Json)
    curves: Mapped[Curves] = mapped_column(Json)
    baselines: Mapped[BaselinesDocument | None] = mapped_column(Json)
    suitability: Mapped[SuitabilityDocument | None] = mapped_column(Json)
    weights: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(index=True)


class PredictionRow(Base):
    """The probability of every class at every bus, and the split part of the bus.

    ``probabilities`` is float32, buses by classes, packed; ``parts`` has one byte per bus.
    """

    __tablename__ = "predictions"

    model_id: Mapped[str] = mapped_column(
        ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    probabilities: Mapped[bytes] = mapped_column(LargeBinary)
    parts: Mapped[bytes] = mapped_column(LargeBinary)
    sha256: Mapped[str] = mapped_column(String(64))


class FittedBaselineRow(Base):
    """A baseline that was fitted on the same split as a model and can be promoted to a model.

    ``manifest`` leaves out the split, which is the one of the model.
    """

    __tablename__ = "fitted_baselines"

    model_id: Mapped[str] = mapped_column(
        ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    promoted_id: Mapped[str | None] = mapped_column(
        ForeignKey("models.id", ondelete="SET NULL"), index=True
    )
    manifest: Mapped[ManifestDocument] = mapped_column(Json)
    metrics: Mapped[dict[str, MetricsDocument]] = mapped_column(Json)
    curves: Mapped[Curves] = mapped_column(Json)
    weights: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))
    probabilities: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class ActiveModelRow(Base):
    """The model that answers predictions of a grid and label unless a request names another."""

    __tablename__ = "active_models"

    graph_id: Mapped[str] = mapped_column(
        ForeignKey("graphs.id", ondelete="CASCADE"), primary_key=True
    )
    label: Mapped[str] = mapped_column(String(100), primary_key=True)
    model_id: Mapped[str] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
    reason: Mapped[str]
    promoted_at: Mapped[datetime]


class PromotionRow(Base):
    """One promotion of a model to active, and its reason; stays when another takes over."""

    __tablename__ = "promotions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    model_id: Mapped[str] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"), index=True)
    reason: Mapped[str]
    promoted_at: Mapped[datetime]


class ReplayRow(Base):
    """One replay of a model: trained again and compared; the id is the one of the job."""

    __tablename__ = "replays"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    model_id: Mapped[str] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"), index=True)
    result: Mapped[ReplayDocument] = mapped_column(Json)
    replayed_at: Mapped[datetime]
