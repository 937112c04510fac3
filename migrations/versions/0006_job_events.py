"""What happened to each job, in order; of jobs from before, only where they stand."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_ENDED = ("succeeded", "failed", "cancelled")
_JOBS = sa.table(
    "jobs",
    sa.column("id"),
    sa.column("state"),
    sa.column("attempt"),
    sa.column("cancel_requested", sa.Boolean),
    sa.column("result", _JSON),
    sa.column("error", _JSON),
)


def upgrade() -> None:
    op.add_column(
        "jobs", sa.Column("event_count", sa.Integer(), nullable=False, server_default="1")
    )
    events = op.create_table(
        "job_events",
        sa.Column("job_id", sa.String(32), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("data", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_job_events_job_id_jobs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "sequence", name="pk_job_events"),
    )
    connection = op.get_bind()
    first = [_describe(row) for row in connection.execute(sa.select(_JOBS)).mappings()]
    if first:
        connection.execute(events.insert(), first)


def downgrade() -> None:
    op.drop_table("job_events")
    op.drop_column("jobs", "event_count")


def _describe(job: sa.RowMapping) -> dict[str, object]:
    ended = job["state"] in _ENDED
    told = ("state", "result", "error") if ended else ("state", "attempt", "cancel_requested")
    data = {name: job[name] for name in told}
    kind = "end" if ended else "state"
    return {"job_id": job["id"], "sequence": 1, "kind": kind, "data": data}
