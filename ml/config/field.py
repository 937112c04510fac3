"""One setting of a run: its default, what it means, its interval and the methods that heed it."""

import dataclasses
import re
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin

_INTERVAL = re.compile(r"([\[(])(\S+), (\S+)([\])])")
_METADATA = "setting"
_WORDS = {int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


class Interval(NamedTuple):
    """Numbers between two ends, either of which may belong to it."""

    low: float
    high: float
    has_low: bool
    has_high: bool
    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an interval as it is written: ``(0, 1]`` is above 0 and up to 1."""
        found = _INTERVAL.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not an interval")
        first, low, high, last = found.groups()
        return cls(float(low), float(high), first == "[", last == "]", text)

    def holds(self, value: float) -> bool:
        """Tell whether a number lies in it; NaN never does."""
        above = value > self.low or (self.has_low and value == self.low)
        below = value < self.high or (self.has_high and value == self.high)
        return above and below


class Setting(NamedTuple):
    """What is to be known of a setting beside its type and default; no ``only`` is any method."""

    description: str
    interval: Interval | None
    only: tuple[str, ...]


def setting(
    default: Any, description: str, interval: str | None = None, only: tuple[str, ...] = ()
) -> Any:
    """Define a field of a configuration together with what its documentation says."""
    bounds = None if interval is None else Interval.parse(interval)
    told = Setting(description, bounds, only)
    return dataclasses.field(default=default, metadata={_METADATA: told})


def setting_of(field: dataclasses.Field[Any]) -> Setting:
    """Return what ``setting`` was told of a field."""
    told: Setting = field.metadata[_METADATA]
    return told


def find_problem(value: object, hint: Any, interval: Interval | None) -> str | None:
    """Say what is wrong with a value of this type and interval, None if nothing is."""
    if not _fits(value, hint):
        return f"{value!r} is not {_described(hint)}"
    if interval is None or not isinstance(value, (int, float)) or interval.holds(value):
        return None
    return f"{value} is outside {interval.text}"


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_fits(value, option) for option in get_args(hint))
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, (int, float) if hint is float else hint)


def _described(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    return " or ".join(_WORDS[option] for option in get_args(hint) or (hint,))
