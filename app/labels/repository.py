"""Rows of the labels table, of earlier versions and of the suitability reports.

Two queries read tables of other features: a label set is neither replaced nor deleted while a
job uses it, and it is deleted together with its models.
"""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer

from app.storage.tables import JobRow, LabelRow, ModelRow, ReplacedLabelRow, SuitabilityRow


def insert_label(session: Session, row: LabelRow) -> bool:
    """Add a label set; False if the grid already has one of this name."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def replace_label(session: Session, row: LabelRow) -> None:
    """Keep the stored version apart, take the new one and drop the report on the old one."""
    key = (row.graph_id, row.name)
    stored = session.get_one(LabelRow, key, options=[undefer(LabelRow.classes)])
    names = (
        "graph_id",
        "name",
        "version",
        "class_names",
        "definition",
        "source",
        "hides",
        "classes",
    )
    kept = {name: getattr(stored, name) for name in (*names, "created_at")}
    session.add(ReplacedLabelRow(**kept))
    report = session.get(SuitabilityRow, key)
    if report is not None:
        session.delete(report)
    session.flush()
    session.merge(row)
    session.flush()


def list_models(session: Session, graph_id: str, name: str) -> Sequence[str]:
    """Return the ids of the models that have learnt a label set, oldest first."""
    query = select(ModelRow.id).where(ModelRow.graph_id == graph_id, ModelRow.label == name)
    return session.scalars(query.order_by(ModelRow.created_at, ModelRow.id)).all()


def list_unfinished_jobs(session: Session, graph_id: str, name: str) -> list[str]:
    """Return the ids of queued and running jobs that use or compute a label set."""
    query = select(JobRow).where(JobRow.graph_id == graph_id, JobRow.finished_at.is_(None))
    jobs = session.scalars(query.order_by(JobRow.created_at, JobRow.id))
    return [job.id for job in jobs if name in (job.payload.get("label"), job.payload.get("kind"))]


def delete_label(session: Session, graph_id: str, name: str) -> None:
    """Delete all versions of a label set and the models that have learnt it."""
    for table, column in (
        (ModelRow, ModelRow.label),
        (ReplacedLabelRow, ReplacedLabelRow.name),
        (LabelRow, LabelRow.name),
    ):
        session.execute(delete(table).where(table.graph_id == graph_id, column == name))


def lock_label(session: Session, graph_id: str, name: str) -> bool:
    """Lock a label set until the transaction ends; False if it does not exist."""
    query = select(LabelRow.name).where(LabelRow.graph_id == graph_id, LabelRow.name == name)
    return session.scalar(query.with_for_update()) is not None


def find_suitability(session: Session, graph_id: str, name: str) -> SuitabilityRow | None:
    """Return the row of a suitability report, which may still wait for its job."""
    return session.get(SuitabilityRow, (graph_id, name), populate_existing=True)


def insert_suitability(session: Session, row: SuitabilityRow) -> None:
    """Add the row of a suitability report; the caller holds the lock of the label set."""
    session.add(row)
    session.flush()
