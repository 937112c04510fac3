"""Which version of which grid a grid is, and where labels come from."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_GRAPHS = sa.table(
    "graphs",
    sa.column("id", sa.String),
    sa.column("report", sa.JSON),
    sa.column("created_at", sa.DateTime),
    sa.column("family", sa.String),
    sa.column("version", sa.Integer),
    sa.column("version_of", sa.String),
)


def upgrade() -> None:
    op.add_column("graphs", sa.Column("family", sa.String(32), nullable=False, server_default=""))
    op.add_column("graphs", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("graphs", sa.Column("version_of", sa.String(32), nullable=True))
    _number_versions()
    op.create_index("ix_graphs_family_version", "graphs", ["family", "version"], unique=True)
    op.add_column(
        "labels", sa.Column("source", sa.String(40), nullable=False, server_default="file")
    )
    op.add_column("labels", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.execute("UPDATE labels SET source = 'user' WHERE definition = 'the user''s own labels'")
    op.execute("UPDATE labels SET source = 'catalogue' WHERE definition LIKE 'version 1: %'")


def downgrade() -> None:
    op.drop_column("labels", "version")
    op.drop_column("labels", "source")
    op.drop_index("ix_graphs_family_version", "graphs")
    for name in ("version_of", "version", "family"):
        op.drop_column("graphs", name)


def _number_versions() -> None:
    """Take over what the reports of the imports have said of versions until now."""
    connection = op.get_bind()
    family_of: dict[str, str] = {}
    counts: dict[str, int] = {}
    columns = (_GRAPHS.c.id, _GRAPHS.c.report)
    rows: Any = connection.execute(sa.select(*columns).order_by(_GRAPHS.c.created_at)).all()
    for graph_id, report in rows:
        before = (report or {}).get("version", {}).get("of")
        family = family_of[graph_id] = family_of.get(before, graph_id)
        counts[family] = counts.get(family, 0) + 1
        values = {"family": family, "version": counts[family], "version_of": before}
        connection.execute(sa.update(_GRAPHS).where(_GRAPHS.c.id == graph_id).values(values))
