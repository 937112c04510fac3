"""Suitability reports of label sets, measured by jobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "suitability_reports",
        sa.Column("graph_id", sa.String(32), nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("job_id", sa.String(32), nullable=True),
        sa.Column("report", _JSON, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["graph_id", "label"],
            ["labels.graph_id", "labels.name"],
            name="fk_suitability_reports_graph_id_label_labels",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name="fk_suitability_reports_job_id_jobs",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("graph_id", "label", name="pk_suitability_reports"),
    )


def downgrade() -> None:
    op.drop_table("suitability_reports")
