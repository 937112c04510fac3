"""JSON body of POST /graphs: decoded in one typed pass; a wrong body is diagnosed by field."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from app.errors import GridRejected
from app.http.strict_json import LARGEST_INTEGER, count_keys, join_place, parse_json
from ml.errors import Fault

_Reader: TypeAlias = Callable[[Any, Any, str, list[Fault]], Any]
_Number = Annotated[int, Meta(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)]
Text = str | _Number
"""An id or a class: text, or a number that is read as its digits."""
MOST_FAULTS = 10_000
"""Nobody reads more faults, and listing millions of them would block a processor."""


class BusIn(Struct, forbid_unknown_fields=True):
    """One bus."""

    id: Text
    name: str | UnsetType | None = UNSET
    features: dict[str, float] | UnsetType | None = UNSET
    label: Text | UnsetType | None = UNSET
    lat: float | UnsetType | None = UNSET
    lon: float | UnsetType | None = UNSET
    substation: Text | UnsetType | None = UNSET


class BranchIn(Struct, forbid_unknown_fields=True):
    """One branch between two buses."""

    source: Text = msgspec.field(name="from")
    target: Text = msgspec.field(name="to")
    weight: float | UnsetType | None = UNSET
    kind: str | UnsetType | None = UNSET


class GraphIn(Struct, forbid_unknown_fields=True):
    """Either the name of a built-in case with its options, or a topology."""

    case: str | UnsetType = UNSET
    weight: str | UnsetType = UNSET
    check: str | UnsetType = UNSET
    columns: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    buses: list[BusIn] | UnsetType = UNSET
    branches: list[BranchIn] | UnsetType = UNSET


_decoder = msgspec.json.Decoder(GraphIn)


def decode_graph_body(body: bytes) -> tuple[GraphIn, list[Fault]]:
    """Decode the body; with wrong types, return the readable parts and every fault.

    An unreadable part is None if it is required, and absent otherwise.
    Cost: one typed pass when nothing is wrong.
    Raises: MalformedBody if the body is not acceptable JSON; GridRejected for 10,000 faults.
    """
    try:
        decoded = _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _diagnose(parse_json(body))
    if _is_suspicious(body, decoded):
        parse_json(body)
    return decoded, []


def _is_suspicious(body: bytes, decoded: GraphIn) -> bool:
    """Tell whether the typed decoder may have accepted what ``parse_json`` rejects.

    That is NUL, integers beyond 2^53 in place of a float, and repeated keys, of which the
    decoder keeps the last. Keys are counted instead of parsed again, because a body of a million
    branches would take seconds with ``json.loads``; a new field must be counted here too.
    """
    if b"\\u0000" in body or _largest_number(decoded) >= LARGEST_INTEGER:
        return True
    kept = _count_kept_keys(decoded)
    # Colons inside texts only increase the cheap count: if it agrees, no key repeats.
    return body.count(b":") != kept and count_keys(body) != kept


def _largest_number(graph: GraphIn) -> float:
    weights = (abs(branch.weight or 0) for branch in graph.branches or ())
    features = (
        abs(number) for bus in graph.buses or () for number in (bus.features or {}).values()
    )
    return max(max(weights, default=0), max(features, default=0))


def _count_kept_keys(graph: GraphIn) -> int:
    parts = (getattr(graph, name) for name in graph.__struct_fields__)
    count = sum(part is not UNSET for part in parts)
    for bus in graph.buses or ():
        count += 1 + (bus.name is not UNSET) + (bus.features is not UNSET)
        count += (bus.label is not UNSET) + (bus.lat is not UNSET) + (bus.lon is not UNSET)
        count += bus.substation is not UNSET
        if bus.features:
            count += len(bus.features)
    for branch in graph.branches or ():
        count += 2 + (branch.weight is not UNSET) + (branch.kind is not UNSET)
    return count


def _diagnose(value: Any) -> tuple[GraphIn, list[Fault]]:
    faults: list[Fault] = []
    graph: GraphIn = _read_struct(GraphIn, value, "", faults)
    if not faults:
        faults.append(Fault("body", "is not a case or a topology"))
    return graph, faults


def _read_struct(kind: type[Struct], value: Any, where: str, faults: list[Fault]) -> Any:
    with suppress(msgspec.ValidationError):
        return msgspec.convert(value, kind)
    if len(faults) >= MOST_FAULTS:
        raise GridRejected(f"The grid was not stored: {MOST_FAULTS:,} faults or more.", faults)
    fields = _fields_of(kind)
    read: dict[str, Any] = {field.name: None for field in fields.values() if field.required}
    if not isinstance(value, dict):
        faults.append(Fault(where or "body", "is not a JSON object"))
        return kind(**read)
    unknown = [key for key in value if key not in fields]
    faults.extend(Fault(join_place(where, key), "is not a field of this object") for key in unknown)
    for key, field in fields.items():
        if key in value:
            place = join_place(where, key)
            part = _READERS.get(key, _read_scalar)(field.type, value[key], place, faults)
            read |= {} if part is UNSET else {field.name: part}
        elif field.required:
            faults.append(Fault(join_place(where, key), "is missing"))
    return kind(**read)


@cache
def _fields_of(kind: type[Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _read_scalar(kind: Any, value: Any, where: str, faults: list[Fault]) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        words = str(error).partition(" - at ")[0].replace("`", "")
        faults.append(Fault(where, words[:1].lower() + words[1:]))
        return UNSET


def _read_columns(_kind: Any, value: Any, where: str, faults: list[Fault]) -> Any:
    if value is None:
        return None
    if not isinstance(value, dict):
        faults.append(Fault(where, "is not a JSON object"))
        return UNSET
    numbers = {
        name: _read_scalar(float, number, join_place(where, name), faults)
        for name, number in value.items()
    }
    return {name: 0.0 if number is UNSET else number for name, number in numbers.items()}


def _list_reader(kind: type[Struct]) -> _Reader:
    def read_list(_kind: Any, value: Any, where: str, faults: list[Fault]) -> Any:
        if not isinstance(value, list):
            faults.append(Fault(where, "is not a list"))
            return UNSET
        return [
            _read_struct(kind, element, join_place(where, position), faults)
            for position, element in enumerate(value)
        ]

    return read_list


_READERS: dict[str, _Reader] = {
    "buses": _list_reader(BusIn),
    "branches": _list_reader(BranchIn),
    "features": _read_columns,
}
"""Readers of nested fields; all others are scalars."""
