"""Sweeps and which jobs belong to them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "sweeps",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("graph_id", sa.String(32), nullable=True),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("request", _JSON, nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["graph_id"], ["graphs.id"], name="fk_sweeps_graph_id_graphs", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sweeps"),
    )
    op.create_index("ix_sweeps_created_at", "sweeps", ["created_at"])
    op.create_table(
        "sweep_trials",
        sa.Column("sweep_id", sa.String(32), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["sweep_id"],
            ["sweeps.id"],
            name="fk_sweep_trials_sweep_id_sweeps",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_sweep_trials_job_id_jobs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sweep_id", "position", name="pk_sweep_trials"),
        sa.UniqueConstraint("job_id", name="uq_sweep_trials_job_id"),
    )


def downgrade() -> None:
    op.drop_table("sweep_trials")
    op.drop_table("sweeps")
