"""Streams of job events: any number of them wait without a thread or a connection each."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import structlog
from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from app.errors import TooManyStreams
from app.jobs.events import count_events, list_events
from app.storage.db import Database
from app.storage.retry import DATABASE_AWAY, tell_outage
from app.storage.tables import JobEventRow

_LOOK_SECONDS = 0.3
_HEARTBEAT_SECONDS = 15.0
_BATCH = 500
_FIRST_WORDS = "retry: 2000\n\n"
_HEARTBEAT = ": still here\n\n"
_log = structlog.get_logger("levygrid.jobs")


@dataclass(eq=False)
class Watch:
    """One open stream: the job, the last event it has sent, and that there is more."""

    job_id: str
    sent: int
    news: asyncio.Event = field(default_factory=asyncio.Event)


class JobStreams:
    """Every open stream of this process; one look at the database serves them all."""

    def __init__(
        self, database: Database, most: int, heartbeat_seconds: float = _HEARTBEAT_SECONDS
    ) -> None:
        self._database = database
        self._most = most
        self._heartbeat_seconds = heartbeat_seconds
        self._watches: set[Watch] = set()
        self._looking: asyncio.Task[None] | None = None
        self._ended = False

    def open(self, job_id: str, after: int) -> Watch:
        """Take room for a stream; the caller gives it back. Raises: TooManyStreams."""
        if len(self._watches) >= self._most:
            raise TooManyStreams(f"{self._most} streams are open, which is all there may be.")
        watch = Watch(job_id, after)
        self._watches.add(watch)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return watch

    def close(self, watch: Watch) -> None:
        """Give the room of a stream back."""
        self._watches.discard(watch)

    def end_all(self) -> None:
        """End every stream, because the service stops; clients come back with what they have."""
        self._ended = True
        for watch in self._watches:
            watch.news.set()

    async def follow(self, watch: Watch) -> AsyncIterator[str]:
        """Yield the events of a job as they come, until its end."""
        yield _FIRST_WORDS
        while not self._ended:
            watch.news.clear()
            events = await run_in_threadpool(self._read, watch)
            for event in events:
                yield _encode(event)
                watch.sent = event.sequence
            if events and events[-1].kind == "end":
                return
            if not events and not await _happens(watch.news, self._heartbeat_seconds):
                yield _HEARTBEAT

    async def _look(self) -> None:
        """Wake the streams of jobs that something has happened to, while there are streams."""
        while self._watches:
            job_ids = list({watch.job_id for watch in self._watches})
            counts = await run_in_threadpool(self._count, job_ids)
            for watch in self._watches:
                if counts.get(watch.job_id, 0) > watch.sent:
                    watch.news.set()
            await asyncio.sleep(_LOOK_SECONDS)

    def _read(self, watch: Watch) -> Sequence[JobEventRow]:
        try:
            with self._database.reading() as session:
                return list_events(session, watch.job_id, watch.sent, _BATCH)
        except DATABASE_AWAY as error:
            _log.warning("database away, the stream waits", reason=tell_outage(error))
            return []

    def _count(self, job_ids: Sequence[str]) -> dict[str, int]:
        try:
            with self._database.reading() as session:
                return count_events(session, job_ids)
        except DATABASE_AWAY as error:
            _log.warning("database away, streams wait", reason=tell_outage(error))
        except Exception:  # noqa: BLE001 - every stream of this process depends on it
            _log.exception("looking for events failed")
        return {}


class EventStreamResponse(StreamingResponse):
    """Server-sent events of one watch, whose room is given back whatever happens."""

    media_type = "text/event-stream"

    def __init__(self, streams: JobStreams, watch: Watch) -> None:
        # The last header keeps nginx from holding events back.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(streams.follow(watch), headers=headers)
        self._streams, self._watch = streams, watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the job ends or the client goes."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.close(self._watch)


async def _happens(news: asyncio.Event, within: float) -> bool:
    try:
        await asyncio.wait_for(news.wait(), within)
    except TimeoutError:
        return False
    return True


def _encode(event: JobEventRow) -> str:
    return f"id: {event.sequence}\nevent: {event.kind}\ndata: {json.dumps(event.data)}\n\n"


def _streams(request: Request) -> JobStreams:
    streams: JobStreams = request.app.state.job_streams
    return streams


JobStreamsDep = Annotated[JobStreams, Depends(_streams)]
