"""Columns that a label set hides from the features, because they give the label away."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    for table in ("labels", "replaced_labels"):
        op.add_column(table, sa.Column("hides", _JSON, nullable=True))


def downgrade() -> None:
    for table in ("labels", "replaced_labels"):
        op.drop_column(table, "hides")
