"""Requests that create jobs: stored, dispatched and answered with 202, once per key."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self, cast

from fastapi import Depends, Header, Request, Response, status
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.jobs.dispatch import Dispatcher, DispatcherDep
from app.jobs.idempotency import HEADER, KeyedRequest, find_answer, fingerprint_request, take_key
from app.jobs.schemas import JobAcceptedOut
from app.storage.db import Database, DatabaseDep
from app.storage.documents import AnswerDocument
from app.storage.tables import JobRow

_KeyHeader = Annotated[
    str | None,
    Header(
        alias=HEADER,
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="A unique value that you choose. A repeated request with the same key creates "
        "no second job and receives the response to the first.",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]


@dataclass(frozen=True)
class Accepted:
    """The response to a request, and the jobs that it has created."""

    answer: AnswerDocument
    jobs: Sequence[JobRow]

    @classmethod
    def one_job(cls, job: JobRow, warnings: Sequence[str] = ()) -> Self:
        """Return the response for a single job, with warnings about its settings."""
        answer = JobAcceptedOut(job_id=job.id, href=f"/jobs/{job.id}", warnings=list(warnings))
        return cls.from_schema(answer, [job])

    @classmethod
    def from_schema(cls, answer: BaseModel, jobs: Sequence[JobRow]) -> Self:
        """Return the response as it is sent, with the path of what was created as ``href``."""
        return cls(cast("AnswerDocument", answer.model_dump(mode="json")), jobs)


@dataclass(frozen=True)
class Submission:
    """A request that may create jobs, and its response."""

    database: Database
    dispatcher: Dispatcher
    response: Response
    request_id: str | None
    path: str
    key: str | None
    key_seconds: float

    def find_earlier(self, body: Any) -> AnswerDocument | None:
        """Return the response to the same request sent before. Raises: IdempotencyKeyReused."""
        request = self._keyed(body)
        if request is None:
            return None
        with self.database.reading() as session:
            answer = find_answer(session, request)
        return None if answer is None else self._answer(answer)

    def submit(self, body: Any, make: Callable[[Session], Accepted]) -> AnswerDocument:
        """Store the jobs and dispatch their ids, unless the same request did so before.

        ``body`` is the request as plain JSON values; its hash belongs to the key. Answers 202
        with `Location`.
        Raises: IdempotencyKeyReused, and the errors of ``make``; a refused request does not use
        up its key.
        """
        request = self._keyed(body)
        with self.database.writing() as session:
            accepted = make(session) if request is None else _make_once(session, request, make)
        # After the commit, so that a worker that receives an id finds the job.
        for job in accepted.jobs:
            if not self.dispatcher.dispatch(job):
                break  # do not wait for an unreachable broker once per job
        return self._answer(accepted.answer)

    def _keyed(self, body: Any) -> KeyedRequest | None:
        if self.key is None:
            return None
        return KeyedRequest(self.key, fingerprint_request(self.path, body), self.key_seconds)

    def _answer(self, answer: AnswerDocument) -> AnswerDocument:
        self.response.status_code = status.HTTP_202_ACCEPTED
        self.response.headers["Location"] = answer["href"]
        return answer


def _make_once(
    session: Session, request: KeyedRequest, make: Callable[[Session], Accepted]
) -> Accepted:
    taken = take_key(session, request)
    if taken is None:
        answer = find_answer(session, request)
        return make(session) if answer is None else Accepted(answer, [])
    accepted = make(session)
    taken.answer = accepted.answer
    return accepted


def _submission(
    request: Request,
    response: Response,
    database: DatabaseDep,
    dispatcher: DispatcherDep,
    key: _KeyHeader = None,
) -> Submission:
    return Submission(
        database=database,
        dispatcher=dispatcher,
        response=response,
        request_id=getattr(request.state, "request_id", None),
        path=request.url.path,
        key=key,
        key_seconds=3600 * request.app.state.settings.idempotency_hours,
    )


SubmissionDep = Annotated[Submission, Depends(_submission)]
