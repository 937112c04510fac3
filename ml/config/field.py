"""The documented fields of a settings class: how they are defined, listed and checked."""

import dataclasses
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin, get_type_hints

from ml.errors import Fault

_INTERVAL = re.compile(r"([\[(])(\S+), (\S+)([\])])")
_METADATA = "setting"
_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    type(None): "null",
}


class Interval(NamedTuple):
    """A range of numbers with open or closed ends."""

    low: float
    high: float
    has_low: bool
    has_high: bool
    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the usual notation: ``(0, 1]`` excludes 0 and includes 1."""
        match = _INTERVAL.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not an interval")
        first, low, high, last = match.groups()
        return cls(float(low), float(high), first == "[", last == "]", text)

    def holds(self, value: float) -> bool:
        """Return whether a number lies in the range; NaN never does."""
        above = value > self.low or (self.has_low and value == self.low)
        below = value < self.high or (self.has_high and value == self.high)
        return above and below


class Setting(NamedTuple):
    """The documentation of a field: description, range and the name it is stored under."""

    description: str
    interval: Interval | None
    stored_as: str | None


def setting(
    default: Any, description: str, interval: str | None = None, *, stored_as: str | None = None
) -> Any:
    """Define a field of a settings class together with its documentation.

    ``stored_as`` is an older name: requests may use either, stored models keep the older one.
    """
    bounds = None if interval is None else Interval.parse(interval)
    documentation = Setting(description, bounds, stored_as)
    return dataclasses.field(default=default, metadata={_METADATA: documentation})


def setting_of(field: dataclasses.Field[Any]) -> Setting:
    """Return the documentation that ``setting`` attached to a field."""
    documentation: Setting = field.metadata[_METADATA]
    return documentation


def stored_name(field: dataclasses.Field[Any]) -> str:
    """Return the name under which stored models keep the setting."""
    return setting_of(field).stored_as or field.name


def list_fields(settings: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the documented fields of a settings class."""
    return _read_definition(settings).fields


def field_types(settings: type) -> Mapping[str, Any]:
    """Return the type of every field of a settings class."""
    return _read_definition(settings).types


def list_stored_names(settings: type) -> Mapping[str, str]:
    """Return the name of every field by the name that models are stored with."""
    return _read_definition(settings).stored_names


def list_faults(settings: type, values: Mapping[str, object]) -> list[Fault]:
    """Return every value of the wrong type or outside its range, by name or older name.

    Names that are not settings of the class are left to the caller.
    """
    checks = _read_definition(settings).checks
    problems = (
        (name, _find_problem(values[name], *checks[name])) for name in values if name in checks
    )
    return [Fault(name, problem) for name, problem in problems if problem is not None]


class _Definition(NamedTuple):
    """What is known of a settings class, read once; ``checks`` has older names as well."""

    fields: tuple[dataclasses.Field[Any], ...]
    types: Mapping[str, Any]
    stored_names: Mapping[str, str]
    checks: Mapping[str, tuple[Any, Interval | None]]


@cache
def _read_definition(settings: Any) -> _Definition:
    fields = tuple(one for one in dataclasses.fields(settings) if _METADATA in one.metadata)
    types = get_type_hints(settings)
    checks = {one.name: (types[one.name], setting_of(one).interval) for one in fields}
    stored_names = {stored_name(one): one.name for one in fields}
    older = {stored: checks[name] for stored, name in stored_names.items()}
    return _Definition(fields, types, stored_names, older | checks)


def _find_problem(value: object, hint: Any, interval: Interval | None) -> str | None:
    if not _fits(value, hint):
        return f"{value!r} is not {_describe_type(hint)}"
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


def _describe_type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    return " or ".join(_WORDS[option] for option in get_args(hint) or (hint,))
