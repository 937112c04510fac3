"""Parses JSON strictly and lists every fault."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from app.errors import MalformedBody
from ml.errors import Fault

MAX_DEPTH = 32
LARGEST_INTEGER = 2**53
"""Larger integers are not the same number in every JSON parser."""

_MAX_TEXT_SHOWN = 40
_MAX_DIGITS = 16
_BYTE_ORDER_MARK = "\ufeff"
_SURROGATES = re.compile("[\ud800-\udfff]")
_UNUSABLE = re.compile("[\0\ud800-\udfff]")
_ESCAPE_PAIR = re.compile(rb"\\.", re.DOTALL)


def parse_json(body: bytes) -> Any:
    """Parse one JSON text; refuse everything that parsers interpret differently.

    Refused: other encodings than UTF-8, a byte order mark, NaN and infinities, numbers beyond
    float64, integers beyond 2^53, repeated keys, lone surrogates, NUL, nesting beyond 32.
    Raises: MalformedBody with every fault.
    """
    text = _decode_text(body)
    collected: list[Fault] = []
    value = _load(text, collected)
    # Only an escape sequence can produce a character that UTF-8 text cannot contain.
    if _is_suspicious(value, with_texts="\\u" in text):
        collected.extend(_value_faults(value))
    if collected:
        _refuse(*collected)
    return value


def count_keys(body: bytes) -> int:
    """Count the keys of all objects of a valid JSON text, repeated ones included.

    A typed decoder keeps the last of repeated keys. Comparing this count with the number of
    decoded keys finds repetitions at a fraction of the cost of a Python call per object.
    Cost: O(bytes) in numpy.
    """
    plain = _ESCAPE_PAIR.sub(b"", body) if b"\\" in body else body
    characters = np.frombuffer(plain, dtype=np.uint8)
    # The sum wraps at 256, which keeps its parity: odd means inside a string.
    inside_text = np.cumsum(characters == ord('"'), dtype=np.uint8) & 1
    return int(np.count_nonzero((characters == ord(":")) & (inside_text == 0)))


def _refuse(*faults: Fault) -> NoReturn:
    raise MalformedBody("The request body is not valid JSON.", faults)


def _decode_text(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        _refuse(Fault("body", f"byte {error.start} is not UTF-8"))
    if text.startswith(_BYTE_ORDER_MARK):
        _refuse(Fault("body", "starts with a byte order mark"))
    if not text.strip():
        _refuse(Fault("body", "is empty; a JSON object is expected"))
    return text


def _load(text: str, collected: list[Fault]) -> Any:
    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            collected.extend(_repeated_keys(pairs))
        return members

    def read_integer(digits: str) -> int:
        if len(digits.lstrip("-")) <= _MAX_DIGITS and abs(int(digits)) <= LARGEST_INTEGER:
            return int(digits)
        collected.append(Fault("body", f"the integer {_shown(digits)} is beyond 2^53"))
        return 0

    def read_number(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            collected.append(Fault("body", f"the number {_shown(digits)} is beyond float64"))
        return number

    def read_constant(name: str) -> float:
        collected.append(Fault("body", f"{name} is not JSON"))
        return 0.0

    try:
        return json.loads(
            text,
            object_pairs_hook=read_object,
            parse_int=read_integer,
            parse_float=read_number,
            parse_constant=read_constant,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        _refuse(*collected, Fault("body", f"is not JSON at {place}: {error.msg}"))
    except RecursionError:
        _refuse(*collected, Fault("body", f"is nested more than {MAX_DEPTH} deep"))


def _repeated_keys(pairs: list[tuple[str, Any]]) -> Iterator[Fault]:
    seen: set[str] = set()
    reported: set[str] = set()
    for key, _ in pairs:
        if key in seen and key not in reported:
            reported.add(key)
            yield Fault("body", f"the key {_shown(key)} appears more than once in one object")
        seen.add(key)


def _is_suspicious(value: Any, *, with_texts: bool) -> bool:
    """Return whether ``_value_faults`` would find any, without the cost of naming places."""
    stack: list[tuple[int, Any]] = [(0, [value])]
    while stack:
        depth, container = stack.pop()
        if depth > MAX_DEPTH:
            return True
        children = container.values() if isinstance(container, dict) else container
        stack.extend((depth + 1, child) for child in children if isinstance(child, dict | list))
        if with_texts:
            texts = [*container, *children] if isinstance(container, dict) else children
            if any(isinstance(text, str) and _UNUSABLE.search(text) for text in texts):
                return True
    return False


def _value_faults(value: Any) -> Iterator[Fault]:
    stack: list[tuple[str, int, Any]] = [("", 1, value)]
    while stack:
        where, depth, current = stack.pop()
        if isinstance(current, str):
            yield from _text_faults(where, current)
        elif isinstance(current, dict | list):
            if depth > MAX_DEPTH:
                yield Fault(where, f"is nested more than {MAX_DEPTH} deep")
                continue
            for key, child in _members(current):
                if isinstance(key, str):
                    yield from _text_faults(f"a key of {where or 'body'}", key)
                stack.append((join_place(where, key), depth + 1, child))


def _members(container: dict[str, Any] | list[Any]) -> Sequence[tuple[str | int, Any]]:
    if isinstance(container, dict):
        return list(container.items())[::-1]
    return list(enumerate(container))[::-1]


def join_place(where: str, key: str | int) -> str:
    """Return the place of a member: ``buses`` and 3 give ``buses[3]``."""
    if isinstance(key, int):
        return f"{where}[{key}]"
    return f"{where}.{_shown(key)}" if where else _shown(key)


def _text_faults(where: str, text: str) -> Iterator[Fault]:
    if _SURROGATES.search(text):
        yield Fault(where or "body", "contains a lone surrogate, which is not a valid character")
    if "\0" in text:
        yield Fault(where or "body", "contains a NUL character")


def _shown(text: str) -> str:
    clean = text.encode("ascii", "backslashreplace").decode()
    return clean if len(clean) <= _MAX_TEXT_SHOWN else f"{clean[:_MAX_TEXT_SHOWN]}..."
