"""Words and numbers of a statement, as OpenDSS's own parser takes them."""

import pytest

from app.ingest.formats.opendss.scan import (
    is_yes,
    read_number,
    read_rows,
    split_list,
    split_statement,
    strip_quotes,
)


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        (
            "New Line.a bus1=x.1 , bus2 = y",
            [("", "New"), ("", "Line.a"), ("bus1", "x.1"), ("bus2", "y")],
        ),
        ("~ KV=7.2!comment", [("", "~"), ("kv", "7.2")]),
        ("a // b", [("", "a")]),
        ("New Linecode.UG_1/0 r1=1", [("", "New"), ("", "Linecode.UG_1/0"), ("r1", "1")]),
        ("x=(1 2 +) y=[a, b] z={3}", [("x", "(1 2 +)"), ("y", "[a, b]"), ("z", "{3}")]),
        (
            "Redirect \"my file.dss\" 'b c'",
            [("", "Redirect"), ("", '"my file.dss"'), ("", "'b c'")],
        ),
        ("a=[never closed", [("a", "[never closed")]),
        ("! only a comment", []),
        (" \t,, ", []),
        ("a==b", [("a", "b")]),
    ],
)
def test_a_statement_is_split_into_names_and_values(
    line: str, pairs: list[tuple[str, str]]
) -> None:
    assert list(split_statement(line)) == pairs


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e-4", 1e-4),
        (".25", 0.25),
        ("(5)", 5.0),
        ("(10000 1000 /)", 10.0),
        ("[3 sqr 4 sqr + sqrt]", 5.0),
        ("{2 3 ^}", 8.0),
        ("(60 cos)", 0.5),
        ("(pi 2 *)", 6.283185307179586),
    ],
)
def test_numbers_may_be_expressions(text: str, number: float) -> None:
    assert read_number(text) == pytest.approx(number)


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "",
        "nan",
        "inf",
        "1e13",
        "1e999",
        "(1 0 /)",
        "(+)",
        "(1 2)",
        "()",
        "(-1 sqrt)",
        "(1000 exp)",
        "(10 1000 ^)",
        "(" + "1 " * 20 + ")",
    ],
)
def test_what_is_not_a_usable_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_number(text)


def test_arrays_and_matrices() -> None:
    assert split_list("[345, 115 (1 2 +)]") == ["345", "115", "(1 2 +)"]
    assert read_rows("[1 | 2 3 | 4, 5, 6]") == [[1], [2, 3], [4, 5, 6]]
    assert strip_quotes('"a b"') == "a b"
    assert strip_quotes("plain") == "plain"


def test_yes_is_known_by_its_first_letter() -> None:
    assert [is_yes(text) for text in ("Yes", "true", "(y)", "no", "False", "1", "")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip
