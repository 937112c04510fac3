"""Enqueues, claims and reads jobs for tests, in one transaction each."""

from app.errors import ProblemBody
from app.jobs import service
from app.jobs.service import Origin
from app.jobs.states import Claim, LeaseTerms
from app.storage.db import Database
from app.storage.tables import JobRow

TERMS = LeaseTerms("worker", seconds=60, max_attempts=3)
EXPIRED = LeaseTerms("lost worker", seconds=-1, max_attempts=3)
LOST: ProblemBody = {
    "type": "/problems/lost-worker",
    "title": "lost",
    "status": 500,
    "detail": "The worker was lost.",
}


def enqueue(database: Database, priority: int = 0) -> str:
    with database.writing() as session:
        return service.enqueue(session, "train", {"label": "role"}, Origin(priority=priority)).id


def claim(database: Database, terms: LeaseTerms = TERMS) -> Claim:
    with database.writing() as session:
        row = service.claim_next(session, terms)
    assert row is not None
    return Claim(row.id, row.attempt)


def find(database: Database, job_id: str) -> JobRow:
    with database.reading() as session:
        return service.get_job(session, job_id)
