"""Streams of job events; a waiting stream occupies neither a thread nor a connection."""

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
from app.jobs.repository.jobs import count_events, list_events
from app.storage.db import Database
from app.storage.retry import DATABASE_AWAY, describe_outage
from app.storage.tables import JobEventRow

_POLL_SECONDS = 0.3
_HEARTBEAT_SECONDS = 15.0
_BATCH = 500
_PREAMBLE = "retry: 2000\n\n"
_HEARTBEAT = ": heartbeat\n\n"
_log = structlog.get_logger("levygrid.jobs")


@dataclass(eq=False)
class EventStream:
    """One open stream: its job, the last event it has sent, and an event set by new ones."""

    job_id: str
    sent: int
    news: asyncio.Event = field(default_factory=asyncio.Event)


class JobStreams:
    """All open streams of this process; one database query per interval serves them all."""

    def __init__(
        self, database: Database, most: int, heartbeat_seconds: float = _HEARTBEAT_SECONDS
    ) -> None:
        self._database = database
        self._most = most
        self._heartbeat_seconds = heartbeat_seconds
        self._open: set[EventStream] = set()
        self._polling: asyncio.Task[None] | None = None
        self._ended = False

    def open(self, job_id: str, after: int) -> EventStream:
        """Register a stream; the caller closes it. Raises: TooManyStreams."""
        if len(self._open) >= self._most:
            raise TooManyStreams(
                f"The limit of {self._most} open event streams is reached. Close one or try later."
            )
        stream = EventStream(job_id, after)
        self._open.add(stream)
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll())
        return stream

    def close(self, stream: EventStream) -> None:
        """Unregister a stream."""
        self._open.discard(stream)

    def end_all(self) -> None:
        """End every stream because the service stops; clients reconnect and resume."""
        self._ended = True
        for stream in self._open:
            stream.news.set()

    async def follow(self, stream: EventStream) -> AsyncIterator[str]:
        """Yield the events of a job as they happen, until it ends."""
        yield _PREAMBLE
        while not self._ended:
            stream.news.clear()
            events = await run_in_threadpool(self._read, stream)
            for event in events:
                yield _encode(event)
                stream.sent = event.sequence
            if events and events[-1].kind == "end":
                return
            if not events and not await _is_set(stream.news, self._heartbeat_seconds):
                yield _HEARTBEAT

    async def _poll(self) -> None:
        """Wake the streams whose jobs have new events, as long as streams are open."""
        while self._open:
            job_ids = list({stream.job_id for stream in self._open})
            counts = await run_in_threadpool(self._count, job_ids)
            for stream in self._open:
                if counts.get(stream.job_id, 0) > stream.sent:
                    stream.news.set()
            await asyncio.sleep(_POLL_SECONDS)

    def _read(self, stream: EventStream) -> Sequence[JobEventRow]:
        try:
            with self._database.reading() as session:
                return list_events(session, stream.job_id, stream.sent, _BATCH)
        except DATABASE_AWAY as error:
            _log.warning(
                "database unreachable, the event stream waits", reason=describe_outage(error)
            )
            return []

    def _count(self, job_ids: Sequence[str]) -> dict[str, int]:
        try:
            with self._database.reading() as session:
                return count_events(session, job_ids)
        except DATABASE_AWAY as error:
            _log.warning("database unreachable, event streams wait", reason=describe_outage(error))
        except Exception:  # noqa: BLE001 - every stream of this process depends on this loop
            _log.exception("polling for events failed")
        return {}


class EventStreamResponse(StreamingResponse):
    """Server-sent events of one stream, which is closed however the response ends."""

    media_type = "text/event-stream"

    def __init__(self, streams: JobStreams, stream: EventStream) -> None:
        # The last header keeps nginx from buffering events.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(streams.follow(stream), headers=headers)
        self._streams, self._stream = streams, stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the job ends or the client disconnects."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.close(self._stream)


async def _is_set(news: asyncio.Event, within: float) -> bool:
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
