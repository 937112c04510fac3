"""Baselines as they were measured, replays, and a hash of what each model predicts."""

import hashlib

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_PREDICTIONS = sa.table(
    "predictions",
    sa.column("model_id", sa.String),
    sa.column("probabilities", sa.LargeBinary),
    sa.column("parts", sa.LargeBinary),
    sa.column("sha256", sa.String),
)


def upgrade() -> None:
    op.add_column(
        "predictions", sa.Column("sha256", sa.String(64), nullable=False, server_default="")
    )
    _hash_predictions()
    op.create_table(
        "fitted_baselines",
        sa.Column("model_id", sa.String(32), nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("promoted_id", sa.String(32), nullable=True),
        sa.Column("manifest", _JSON, nullable=False),
        sa.Column("metrics", _JSON, nullable=False),
        sa.Column("curves", _JSON, nullable=False),
        sa.Column("weights", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["models.id"],
            name="fk_fitted_baselines_model_id_models",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["promoted_id"],
            ["models.id"],
            name="fk_fitted_baselines_promoted_id_models",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("model_id", "key", name="pk_fitted_baselines"),
    )
    op.create_index("ix_fitted_baselines_promoted_id", "fitted_baselines", ["promoted_id"])
    op.create_table(
        "replays",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("model_id", sa.String(32), nullable=False),
        sa.Column("result", _JSON, nullable=False),
        sa.Column("replayed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name="fk_replays_model_id_models", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_replays"),
    )
    op.create_index("ix_replays_model_id", "replays", ["model_id"])


def downgrade() -> None:
    op.drop_table("replays")
    op.drop_table("fitted_baselines")
    op.drop_column("predictions", "sha256")


def _hash_predictions() -> None:
    connection = op.get_bind()
    ids = connection.scalars(sa.select(_PREDICTIONS.c.model_id)).all()
    for model_id in ids:
        own = _PREDICTIONS.c.model_id == model_id
        columns = (_PREDICTIONS.c.probabilities, _PREDICTIONS.c.parts)
        row = connection.execute(sa.select(*columns).where(own)).one()
        digest = hashlib.sha256(row.probabilities + row.parts).hexdigest()
        connection.execute(sa.update(_PREDICTIONS).where(own).values(sha256=digest))
