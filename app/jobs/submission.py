"""A request that makes jobs: written, delivered and answered with 202, once per key."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from fastapi import Depends, Header, Request, Response, status
from sqlalchemy.orm import Session

from app.jobs.dispatch import Dispatcher, DispatcherDep
from app.jobs.idempotency import HEADER, KeyedRequest, find_answer, fingerprint_request, take_key
from app.jobs.schemas import JobAcceptedOut
from app.storage.db import Database, DatabaseDep
from app.storage.tables import JobRow

_KeyHeader = Annotated[
    str | None,
    Header(
        alias=HEADER,
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="Of your choice. The same request under the same key makes no second job: "
        "it gets the answer of the first.",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]


@dataclass(frozen=True)
class Accepted:
    """What a request has made: the answer, with the place to look at, and jobs to deliver."""

    answer: dict[str, Any]
    jobs: Sequence[JobRow]

    @classmethod
    def one_job(cls, job: JobRow, warnings: Sequence[str] = ()) -> Self:
        """Say where to look for a single job, and what to know of it."""
        answer = JobAcceptedOut(job_id=job.id, href=f"/jobs/{job.id}", warnings=list(warnings))
        return cls(answer.model_dump(mode="json"), [job])


@dataclass(frozen=True)
class Submission:
    """One request that may make jobs, and the answer that it will get."""

    database: Database
    dispatcher: Dispatcher
    response: Response
    request_id: str | None
    path: str
    key: str | None
    key_seconds: float

    def find_earlier(self, body: Any) -> dict[str, Any] | None:
        """Return the answer that the same request got before. Raises: IdempotencyKeyReused."""
        request = self._keyed(body)
        if request is None:
            return None
        with self.database.reading() as session:
            answer = find_answer(session, request)
        return None if answer is None else self._answer(answer)

    def submit(self, body: Any, make: Callable[[Session], Accepted]) -> dict[str, Any]:
        """Write the jobs and deliver their ids, unless the same request has done so before.

        ``body`` is what the key stands for, as plain JSON values. Answers 202 with `Location`.
        Raises: IdempotencyKeyReused, and what ``make`` raises: a refused request leaves its
        key unused.
        """
        request = self._keyed(body)
        with self.database.writing() as session:
            accepted = make(session) if request is None else _make_once(session, request, make)
        # Only now are the jobs there for whoever gets their ids.
        for job in accepted.jobs:
            if not self.dispatcher.dispatch(job):
                break  # the client must not wait for a broker that is away, once for each job
        return self._answer(accepted.answer)

    def _keyed(self, body: Any) -> KeyedRequest | None:
        if self.key is None:
            return None
        return KeyedRequest(self.key, fingerprint_request(self.path, body), self.key_seconds)

    def _answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        self.response.status_code = status.HTTP_202_ACCEPTED
        self.response.headers["Location"] = answer["href"]
        return answer


def _make_once(
    session: Session, request: KeyedRequest, make: Callable[[Session], Accepted]
) -> Accepted:
    taken = take_key(session, request)
    if taken is None:
        known = find_answer(session, request)
        return make(session) if known is None else Accepted(known, [])
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
