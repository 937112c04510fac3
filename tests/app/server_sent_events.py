"""Parses server-sent events for tests."""

import json
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One event of a stream."""

    number: int
    kind: str
    data: Any


def parse_events(text: str) -> list[Event]:
    """Return the events of a stream; comments are skipped."""
    events = []
    for block in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if line[:1] not in ("", ":")
        )
        if "data" in fields:
            events.append(Event(int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return events
