"""Label files in the encodings and separators of real programs, with numbered lines."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import LabelsRejected
from app.labels.files import table
from app.labels.files.table import read_label_table


def _read(content: bytes) -> list[tuple[str, str, str]]:
    return [(row.place, row.bus, row.label) for row in read_label_table(content).rows]


@pytest.mark.parametrize(
    ("content", "encoding", "separator"),
    [
        (b"bus,label\n1,S\xc3\xbcd\n2,b\n", "utf-8", "comma"),
        (b"\xef\xbb\xbfbus;label\r\n1;S\xc3\xbcd\r\n2;b\r\n", "utf-8", "semicolon"),
        (b"bus\tlabel\n1\tS\xfcd\n2\tb", "latin-1", "tab"),
        (b'sep=;\r\n"bus";"label"\r\n"1";"S\xfcd"\r\n2;b\r\n', "latin-1", "semicolon"),
        (b"\xff\xfe" + "bus\tlabel\n1\tSüd\n2\tb\n".encode("utf-16-le"), "utf-16-le", "tab"),
    ],
)
def test_encodings_and_separators_are_recognised(
    content: bytes, encoding: str, separator: str
) -> None:
    read = read_label_table(content)
    assert [(row.bus, row.label) for row in read.rows] == [("1", "Süd"), ("2", "b")]
    assert (read.encoding, read.separator) == (encoding, separator)


def test_lines_are_counted_as_an_editor_shows_them() -> None:
    content = b'bus,label\n\n1,"a\nb"\n\n2,c\n3,\n'
    read = read_label_table(content)
    assert [row.place for row in read.rows] == ["line 3", "line 6"]
    assert read.without_label == 1


def test_rows_of_another_width_are_listed_and_empty_cells_at_the_end_forgiven() -> None:
    read = read_label_table(b"bus,label\n1\n2,b,,\n3,c,d\n")
    assert [(fault.where, fault.problem) for fault in read.faults] == [
        ("line 2", "has 1 cells, the header has 2"),
        ("line 4", "has 3 cells, the header has 2"),
    ]
    assert [row.bus for row in read.rows] == ["2"]


def test_a_quote_that_is_not_closed_is_placed() -> None:
    with pytest.raises(LabelsRejected) as caught:
        _read(b'bus,label\n1,a\n"2,b\n3,c\n')
    assert caught.value.faults[0].where == "line 3"


@pytest.mark.parametrize(
    "content",
    [
        b'{"1": "a", "2": 7, "3": null}',
        b'{"labels": {"1": "a", "2": 7}}',
        b'[{"bus": "1", "label": "a"}, {"bus_id": 2, "label": 7, "bus": 2}, {"bus": 3}]',
        b'\xef\xbb\xbf [{"id": 1, "zone": "a"}, {"id": 2.0, "zone": 7}]',
    ],
)
def test_json_is_an_object_or_an_array_of_objects(content: bytes) -> None:
    assert _read(content) == [("entry 1", "1", "a"), ("entry 2", "2", "7")]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"[]", b"[1", b'{"1": "a", "1": "b"}', b"[1]"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(LabelsRejected):
        _read(content)


def test_entries_that_are_not_objects_are_listed() -> None:
    read = read_label_table(b'[{"bus": 1, "label": "a"}, 5, {"bus": [1], "label": "b"}]')
    assert [fault.where for fault in read.faults] == ["entry 2", "entry 3"]


def test_the_number_of_rows_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_ROWS", 3)
    assert len(_read(b"bus,label\n1,a\n2,b\n3,c\n")) == 3
    blank = b"bus,label\n1,a\n" + b"\n" * 50 + b"2,b\n"
    for content in (b"bus,label\n1,a\n2,b\n3,c\n4,d\n", b"[0, 1, 2, 3]", blank):
        with pytest.raises(LabelsRejected, match="too long"):
            _read(content)


@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda tail: b"bus,label\n" + tail))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(LabelsRejected):
        assert all(row.label for row in read_label_table(content).rows)
