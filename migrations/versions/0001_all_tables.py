"""All tables of the first release."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID = sa.String(32)
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_graphs()
    _create_labels()
    _create_jobs()
    _create_checkpoints()
    _create_models()
    _create_predictions()
    _create_active_models()


def downgrade() -> None:
    for table in (
        "active_models",
        "predictions",
        "models",
        "checkpoints",
        "jobs",
        "labels",
        "graphs",
    ):
        op.drop_table(table)


def _create_graphs() -> None:
    op.create_table(
        "graphs",
        sa.Column("id", _ID, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("bus_count", sa.Integer(), nullable=False),
        sa.Column("branch_count", sa.Integer(), nullable=False),
        sa.Column("island_count", sa.Integer(), nullable=False),
        sa.Column("feature_names", _JSON, nullable=False),
        sa.Column("report", _JSON, nullable=False),
        sa.Column("arrays", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_graphs"),
        sa.UniqueConstraint("content_hash", name="uq_graphs_content_hash"),
    )
    op.create_index("ix_graphs_created_at", "graphs", ["created_at"])


def _create_labels() -> None:
    op.create_table(
        "labels",
        sa.Column("graph_id", _ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("class_names", _JSON, nullable=False),
        sa.Column("definition", sa.String(), nullable=False),
        sa.Column("classes", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _reference("labels", "graph_id", "graphs", "CASCADE"),
        sa.PrimaryKeyConstraint("graph_id", "name", name="pk_labels"),
    )


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _ID, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("handed_back", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(200), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.Column("heartbeat_at", _MOMENT, nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("progress", _JSON, nullable=False),
        sa.Column("error", _JSON, nullable=True),
        sa.Column("result", _JSON, nullable=True),
        sa.Column("request_id", sa.String(64), nullable=True),
        sa.Column("graph_id", _ID, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("dispatched_at", _MOMENT, nullable=False),
        sa.Column("started_at", _MOMENT, nullable=True),
        sa.Column("finished_at", _MOMENT, nullable=True),
        _reference("jobs", "graph_id", "graphs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
    op.create_index("ix_jobs_queue", "jobs", ["state", "priority", "created_at"])


def _create_checkpoints() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("job_id", _ID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _reference("checkpoints", "job_id", "jobs", "CASCADE"),
        sa.PrimaryKeyConstraint("job_id", name="pk_checkpoints"),
    )


def _create_models() -> None:
    op.create_table(
        "models",
        sa.Column("id", _ID, nullable=False),
        sa.Column("graph_id", _ID, nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("job_id", _ID, nullable=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("class_names", _JSON, nullable=False),
        sa.Column("manifest", _JSON, nullable=False),
        sa.Column("metrics", _JSON, nullable=False),
        sa.Column("curves", _JSON, nullable=False),
        sa.Column("weights", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _reference("models", "graph_id", "graphs", "CASCADE"),
        _reference("models", "job_id", "jobs", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_models"),
        sa.UniqueConstraint("job_id", name="uq_models_job_id"),
    )
    op.create_index("ix_models_created_at", "models", ["created_at"])
    op.create_index("ix_models_graph_label", "models", ["graph_id", "label"])


def _create_predictions() -> None:
    op.create_table(
        "predictions",
        sa.Column("model_id", _ID, nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.Column("parts", sa.LargeBinary(), nullable=False),
        _reference("predictions", "model_id", "models", "CASCADE"),
        sa.PrimaryKeyConstraint("model_id", name="pk_predictions"),
    )


def _create_active_models() -> None:
    op.create_table(
        "active_models",
        sa.Column("graph_id", _ID, nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("model_id", _ID, nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("promoted_at", _MOMENT, nullable=False),
        _reference("active_models", "graph_id", "graphs", "CASCADE"),
        _reference("active_models", "model_id", "models", "CASCADE"),
        sa.PrimaryKeyConstraint("graph_id", "label", name="pk_active_models"),
    )


def _reference(table: str, column: str, target: str, on_delete: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{target}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=on_delete)
