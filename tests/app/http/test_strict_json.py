import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import MalformedBody
from app.http.strict_json import MAX_DEPTH, count_keys, parse_json

PLAIN_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(PLAIN_TEXT, inner),
    max_leaves=20,
)


def faults_of(body: bytes) -> list[str]:
    with pytest.raises(MalformedBody) as caught:
        parse_json(body)
    return [str(fault) for fault in caught.value.faults]


@given(VALUES)
def test_json_of_the_standard_library_is_parsed_to_an_equal_value(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", "body: is empty; a JSON object is expected"),
        (b"  \n ", "body: is empty; a JSON object is expected"),
        (b'{"a": NaN}', "body: NaN is not JSON"),
        (b'{"a": -Infinity}', "body: -Infinity is not JSON"),
        (b'{"a": 1e999}', "body: the number 1e999 is beyond float64"),
        (b'{"a": -1e999}', "body: the number -1e999 is beyond float64"),
        (b'{"a": 9007199254740993}', "body: the integer 9007199254740993 is beyond 2^53"),
        (b'{"a": "\\ud800"}', "a: contains a lone surrogate, which is not a valid character"),
        (b'["x", "\\udc00 y"]', "[1]: contains a lone surrogate, which is not a valid character"),
        (b'{"a": "\\u0000"}', "a: contains a NUL character"),
        (b'{"\\u0000": 1}', "a key of body: contains a NUL character"),
        (b'{"a": 1, "a": 1}', "body: the key a appears more than once in one object"),
        (b'{"a": "\xff"}', "body: byte 7 is not UTF-8"),
        (b"\xef\xbb\xbf{}", "body: starts with a byte order mark"),
        (b"{'a': 1}", "body: is not JSON at line 1, column 2: Expecting property name enclosed"),
        (b'{"a": 1} x', "body: is not JSON at line 1, column 10: Extra data"),
    ],
)
def test_json_that_parsers_interpret_differently_is_refused_with_its_place(
    body: bytes, fault: str
) -> None:
    assert faults_of(body)[0].startswith(fault)


def test_an_integer_longer_than_python_reads_is_refused() -> None:
    assert "is beyond 2^53" in faults_of(b'{"a": ' + b"9" * 5000 + b"}")[0]


@pytest.mark.parametrize("bracket", [b"[", b'{"a":'])
def test_nesting_that_would_exhaust_the_stack_is_refused(bracket: bytes) -> None:
    assert faults_of(bracket * 100_000) == [f"body: is nested more than {MAX_DEPTH} deep"]


def test_nesting_beyond_the_limit_is_refused_where_it_begins() -> None:
    deep = b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)
    assert faults_of(deep) == [f"{'[0]' * MAX_DEPTH}: is nested more than {MAX_DEPTH} deep"]
    assert parse_json(deep[1:-1])


def test_every_fault_is_listed() -> None:
    body = b'{"a": 1e999, "a": NaN, "b": {"c": "\\ud800", "d": 99999999999999999999}}'
    assert len(faults_of(body)) == 5


@given(VALUES)
def test_keys_are_counted_regardless_of_text_contents(value: Any) -> None:
    def keys_of(inner: Any) -> int:
        if isinstance(inner, dict):
            return len(inner) + sum(map(keys_of, inner.values()))
        return sum(map(keys_of, inner)) if isinstance(inner, list) else 0

    for ascii_only in (True, False):
        assert count_keys(json.dumps(value, ensure_ascii=ascii_only).encode()) == keys_of(value)


def test_repeated_keys_are_counted_each() -> None:
    assert count_keys(b'{"a": ":\\":", "a": {"a\\\\": 1, "a\\\\": 2}}') == 4
