"""Owners and unique names of grids, and versions of label sets."""

import re
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_LONGEST_NAME = 200
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029/\\\s]+")
_GRAPHS = sa.table(
    "graphs",
    sa.column("id", sa.String),
    sa.column("name", sa.String),
    sa.column("family", sa.String),
    sa.column("version", sa.Integer),
    sa.column("created_at", sa.DateTime),
)


def upgrade() -> None:
    op.add_column(
        "graphs", sa.Column("owner", sa.String(100), nullable=False, server_default="local")
    )
    _make_names_unique()
    op.create_index(
        "ix_graphs_owner_name_version", "graphs", ["owner", "name", "version"], unique=True
    )
    op.add_column(
        "models", sa.Column("label_version", sa.Integer(), nullable=False, server_default="1")
    )
    op.create_table(
        "replaced_labels",
        sa.Column("graph_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("class_names", _JSON, nullable=False),
        sa.Column("definition", sa.String(), nullable=False),
        sa.Column("source", sa.String(40), nullable=False),
        sa.Column("classes", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["graph_id"],
            ["graphs.id"],
            name="fk_replaced_labels_graph_id_graphs",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("graph_id", "name", "version", name="pk_replaced_labels"),
    )


def downgrade() -> None:
    op.drop_table("replaced_labels")
    op.drop_column("models", "label_version")
    op.drop_index("ix_graphs_owner_name_version", "graphs")
    op.drop_column("graphs", "owner")


def _make_names_unique() -> None:
    """Give all versions of a grid the name of the newest, numbered where others have it too."""
    connection = op.get_bind()
    columns = (_GRAPHS.c.family, _GRAPHS.c.name)
    query = sa.select(*columns).order_by(_GRAPHS.c.created_at, _GRAPHS.c.version, _GRAPHS.c.id)
    rows: Any = connection.execute(query).all()
    names = dict(list(rows))  # the last of each family counts; families keep their order
    taken: set[str] = set()
    for family, name in names.items():
        unique = _number(_NOT_IN_NAMES.sub(" ", name).strip() or "grid", taken)
        taken.add(unique)
        own = _GRAPHS.c.family == family
        connection.execute(sa.update(_GRAPHS).where(own).values(name=unique))


def _number(name: str, taken: set[str]) -> str:
    number, numbered = 1, name
    while numbered in taken:
        number += 1
        ending = f" ({number})"
        numbered = name[: _LONGEST_NAME - len(ending)] + ending
    return numbered
