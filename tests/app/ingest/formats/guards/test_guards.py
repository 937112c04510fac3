"""The guards reject what attacks are made of, and pass plain documents on unchanged."""

from xml.parsers import expat

import pytest

from app.errors import GridRejected
from app.ingest.formats.guards.xml_guard import guard_parser, parse_guarded
from app.ingest.formats.guards.zip_guard import read_xml_archive, write_archive


def _parse(content: bytes) -> list[str]:
    tags: list[str] = []
    parser = guard_parser(expat.ParserCreate())
    parser.start(lambda tag, _attributes: tags.append(tag))
    parse_guarded(parser, content, "XML")
    return tags


def test_a_plain_document_is_parsed() -> None:
    assert _parse(b"<a><b/><c>text</c></a>") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "document type declaration"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document type declaration"),
        (b"<a>" * 51, "nested more than 50"),
        (b"<a " + b" ".join(b'x%d=""' % number for number in range(51)) + b"/>", "attributes"),
        (b"<a>", "not well-formed XML"),
    ],
)
def test_hostile_or_broken_xml_is_rejected(content: bytes, message: str) -> None:
    with pytest.raises(GridRejected, match=message):
        _parse(content)


def test_checked_documents_survive_the_new_archive() -> None:
    documents = {"0.xml": b"<a/>", "1.xml": b"<b>text</b>"}
    assert read_xml_archive(write_archive(documents)) == documents


def test_an_archive_inside_an_archive_is_rejected() -> None:
    nested = write_archive({"0.xml": write_archive({"0.xml": b"<a/>"})})
    with pytest.raises(GridRejected, match="rejected") as caught:
        read_xml_archive(nested)
    assert caught.value.faults[0].problem == "is an archive itself"
