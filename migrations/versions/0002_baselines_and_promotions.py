"""What a model is compared with, the report on its label, and why it became active."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NEW = ("baselines", "suitability")


def upgrade() -> None:
    for name in _NEW:
        op.add_column("models", sa.Column(name, _JSON, nullable=True))
    op.create_table(
        "promotions",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("model_id", sa.String(32), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("promoted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name="fk_promotions_model_id_models", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_promotions"),
    )
    op.create_index("ix_promotions_model_id", "promotions", ["model_id"])
    # A model is active for one grid and label only, so its id serves as that of the promotion.
    op.execute(
        "INSERT INTO promotions (id, model_id, reason, promoted_at) "
        "SELECT model_id, model_id, reason, promoted_at FROM active_models"
    )


def downgrade() -> None:
    op.drop_table("promotions")
    for name in reversed(_NEW):
        op.drop_column("models", name)
