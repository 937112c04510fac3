"""Answers of ``GET /predict/{bus_id}`` as bytes, prepared before they are asked for.

A thread of its own prepares them, so that the event loop only looks them up. It also compares
the state of the database at least twice per second while requests arrive: answers are at most
one second old when another process promotes a model, replaces labels or adds a grid version,
and never out of date after a change by this process.
"""

import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_plus

import structlog
from sqlalchemy.orm import Session

from app.errors import LevygridError
from app.http.representation import Representation
from app.predict import repository, service
from app.predict.answers import BusAnswer, ChosenModel, answer_buses, encode
from app.predict.schemas import LONGEST_ID
from app.predict.service import ModelChoice
from app.storage.db import Database
from app.storage.graph_names import find_named
from app.storage.retry import DATABASE_AWAY

PATH = "/predict/"
_CHECK_SECONDS = 0.4
_VALID_SECONDS = 0.9
_FILL_SECONDS = 0.2
_PAUSE_SECONDS = 0.001
_BATCH = 100
_MOST_WANTED = 256
_ENTRY_BYTES = 400
"""Estimated memory of an answer beside its bytes: the key, the dictionary slot, the objects."""
_GRID_QUERY = re.compile(rb"graph_id=([A-Za-z0-9_-]{1,64})")
_NAME_QUERY = re.compile(rb"graph=([^&;=]{1,600})")
_log = structlog.get_logger("levygrid.predict")


class _Check(NamedTuple):
    """When the database was compared last, and the commits of this process until then."""

    moment: float
    commits: int


class _GridQuery(NamedTuple):
    """The grid that a default request names, by id, by name or not at all."""

    graph_id: str | None = None
    name: str | None = None


class PreparedAnswers:
    """Prepared answers of one API process, bounded in bytes; the oldest are dropped first.

    ``find`` is called by the event loop and never waits. What it does not find is answered by
    the FastAPI route and prepared meanwhile.
    """

    def __init__(self, database: Database, most_bytes: int) -> None:
        self._database = database
        self._most_bytes = most_bytes
        self._answers: dict[str, Representation] = {}
        self._bytes = 0
        self._check: _Check | None = None
        self._state: repository.ServingState | None = None
        self._wanted: deque[tuple[str, bytes]] = deque(maxlen=_MOST_WANTED)
        self._filling: dict[bytes, Iterator[tuple[str, Representation]]] = {}
        self._named: dict[str, str | None] = {}
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def find(self, path: str, query: bytes) -> Representation | None:
        """Return the answer to a request if it is prepared and still applies."""
        check = self._check
        age = _VALID_SECONDS if check is None else time.monotonic() - check.moment
        if check is None or age >= _VALID_SECONDS or check.commits != self._database.commits:
            self._wake()
            return None
        if age > _CHECK_SECONDS:
            self._wake()
        found = self._answers.get(_make_key(path, query))
        if found is None and _read_query(query) is not None:
            self._wanted.append((path, query))
            self._wake()
        return found

    @property
    def count(self) -> int:
        """The number of prepared answers; a bus with a name has two."""
        return len(self._answers)

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stopping.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join()

    def _wake(self) -> None:
        if self._due.is_set() or not self._most_bytes or self._stopping.is_set():
            return
        self._due.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="prepare", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            if self._stopping.is_set():
                return
            try:
                self._refresh()
                self._fill()
            except DATABASE_AWAY:
                self._check = None
                self._stopping.wait(_CHECK_SECONDS)
            except Exception:  # noqa: BLE001 - the thread must survive; the FastAPI route shows the error
                self._check = None
                _log.exception("answers could not be prepared")
                self._stopping.wait(_CHECK_SECONDS)

    def _refresh(self) -> None:
        """Compare the state of the database; prepare what was asked for and not found."""
        check = _Check(time.monotonic(), self._database.commits)
        with self._database.reading() as session:
            state = repository.read_state(session)
            named = {name: _find_id(session, name) for name in self._named}
            if state != self._state or named != self._named:
                self._answers, self._bytes, self._filling, self._named = {}, 0, {}, {}
                self._state = state
            self._check = check
            for _ in range(len(self._wanted)):
                self._prepare(session, *self._wanted.popleft())

    def _prepare(self, session: Session, path: str, query: bytes) -> None:
        asked = _read_query(query)
        if asked is None or len(path) > len(PATH) + LONGEST_ID:
            return
        choice = ModelChoice(asked.graph_id)
        if asked.name is not None:
            named = _find_id(session, asked.name)
            if named is None:
                return
            self._named[asked.name] = named
            choice = ModelChoice(named)
        try:
            if query not in self._filling:
                model = service.choose_model(session, choice)
                self._filling[query] = _prepare_all(model, query, self._answers)
            if _make_key(path, query) not in self._answers:
                answer = service.predict_bus(session, choice, path.removeprefix(PATH))
                self._add(_make_key(path, query), Representation.prepare(encode(answer)))
        except LevygridError:
            return  # the FastAPI route reports it

    def _fill(self) -> None:
        """Prepare further buses of the grids that were asked for, for a short time."""
        end = time.monotonic() + _FILL_SECONDS
        for answers in self._filling.values():
            while batch := list(islice(answers, _BATCH)):
                if self._bytes + sum(map(_measure, batch)) > self._most_bytes:
                    # The rest is prepared when it is asked for; this also releases the grids.
                    self._filling = dict.fromkeys(self._filling, iter(()))
                    return
                for key, answer in batch:
                    self._add(key, answer)
                if time.monotonic() > end:
                    self._due.set()
                    return
                self._stopping.wait(_PAUSE_SECONDS)  # lets the event loop run

    def _add(self, key: str, answer: Representation) -> None:
        size = _measure((key, answer))
        if key in self._answers or size > self._most_bytes:
            return
        while self._bytes + size > self._most_bytes:
            oldest = next(iter(self._answers))
            self._bytes -= _measure((oldest, self._answers.pop(oldest)))
        self._answers[key] = answer
        self._bytes += size


def _prepare_all(
    model: ChosenModel, query: bytes, answers: dict[str, Representation]
) -> Iterator[tuple[str, Representation]]:
    """Yield the answers for all buses of a grid under their ids, then under their names.

    ``answers`` are those that were yielded before and are still stored.
    """
    grid = model.grid
    for bus_id, answer in zip(grid.bus_ids, _answer_all(model), strict=True):
        if len(bus_id) <= LONGEST_ID:
            yield _make_key(PATH + bus_id, query), Representation.prepare(encode(answer))
    for names in grid.aliases.values():
        for bus, name in enumerate(names):
            answered = answers.get(_make_key(PATH + grid.bus_ids[bus], query))
            if answered and len(name) <= LONGEST_ID and grid.find_buses(name) == [bus]:
                yield _make_key(PATH + name, query), answered


def _answer_all(model: ChosenModel) -> Iterator[BusAnswer]:
    for first in range(0, model.grid.bus_count, _BATCH):
        buses = range(first, min(first + _BATCH, model.grid.bus_count))
        yield from answer_buses(model, buses)


def _measure(entry: tuple[str, Representation]) -> int:
    return len(entry[0]) + entry[1].size + _ENTRY_BYTES


def _make_key(path: str, query: bytes) -> str:
    # No path contains a NUL: the middleware refuses it.
    return f"{path}\0{query.decode('latin-1')}" if query else path


def _read_query(query: bytes) -> _GridQuery | None:
    """Return the grid that a default request names; None for any other query."""
    if not query:
        return _GridQuery()
    by_id, by_name = _GRID_QUERY.fullmatch(query), _NAME_QUERY.fullmatch(query)
    if by_id is not None:
        return _GridQuery(graph_id=by_id[1].decode("ascii"))
    if by_name is not None:
        return _GridQuery(name=unquote_plus(by_name[1].decode("latin-1")))
    return None


def _find_id(session: Session, name: str) -> str | None:
    """Return the id of the newest version of the grid with this name."""
    row = find_named(session, name)
    return None if row is None else row.id
