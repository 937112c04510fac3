"""Queues for CPU and GPU, the workers that serve them, and the threads of a job."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("queue", sa.String(16), nullable=False, server_default="cpu"))
    op.add_column("jobs", sa.Column("threads", sa.Integer(), nullable=True))
    op.create_table(
        "workers",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("host", sa.String(200), nullable=False),
        sa.Column("queues", _JSON, nullable=False),
        sa.Column("device", sa.String(16), nullable=False),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )


def downgrade() -> None:
    op.drop_table("workers")
    op.drop_column("jobs", "threads")
    op.drop_column("jobs", "queue")
