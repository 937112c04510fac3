"""Rows of the replays table.

The model card also lists them: ``app.models.repository`` reads this table, because models are in
a lower layer than replays.
"""

from sqlalchemy.orm import Session

from app.storage.db import current_time
from app.storage.documents import ReplayDocument
from app.storage.tables import ReplayRow


def insert_replay(session: Session, job_id: str, model_id: str, result: ReplayDocument) -> None:
    """Add the result of a replay; its id is the id of the job."""
    session.add(
        ReplayRow(
            id=job_id,
            model_id=model_id,
            result=result,
            replayed_at=current_time(session),
        )
    )
    session.flush()
