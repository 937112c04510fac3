"""Long lists in reports and messages: how many there are, and the first of them."""

from collections.abc import Iterable, Sequence

import msgspec

MOST_LISTED = 20


class Listing(msgspec.Struct, frozen=True):
    """The number of items and the first 20 of them."""

    count: int
    first: list[str]


def make_listing(items: Iterable[str]) -> Listing:
    """Count items and take the first of them."""
    listed = list(items)
    return Listing(len(listed), listed[:MOST_LISTED])


def join_first(items: Sequence[object], most: int = MOST_LISTED) -> str:
    """Write the first items as text, and how many more there are."""
    shown = ", ".join(map(str, items[:most]))
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
