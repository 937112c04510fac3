"""Guarded reading of untrusted zip archives: checked before unpacking, never written to disk."""

import codecs
import io
import zipfile

from app.errors import GridRejected
from ml.errors import Fault

codecs.lookup("cp437")  # zipfile's encoding of names; loaded before files are forbidden

_MOST_ENTRIES = 50
_MOST_BYTES = 400 * 2**20
_MOST_RATIO = 100
_SMALL = 2**20
"""Up to this size the compression ratio of an entry is not limited."""
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ARCHIVES = (b"PK", b"\x1f\x8b", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"Rar!")
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


def read_xml_archive(content: bytes) -> dict[str, bytes]:
    """Return the XML documents of a zip by position.

    Rejected before anything is unpacked: too many entries or bytes, a compression ratio typical
    of zip bombs, encryption, unusual compression; then nested archives, DTDs, other encodings.
    Raises: GridRejected.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            faults = _list_faults(entries)
            if faults:
                raise GridRejected("The archive was rejected.", faults)
            documents = {
                f"{position}.xml": _unpack(archive, entry) for position, entry in enumerate(entries)
            }
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise GridRejected("The file is not a readable zip archive.") from error
    except RuntimeError as error:  # zipfile raises it for encryption
        raise GridRejected("The archive is encrypted.") from error
    for name, document in documents.items():
        _check_document(name, document)
    return documents


def write_archive(documents: dict[str, bytes]) -> bytes:
    """Pack the checked documents into a new archive for another reader."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, document in documents.items():
            archive.writestr(name, document)
    return stream.getvalue()


def _list_faults(entries: list[zipfile.ZipInfo]) -> list[Fault]:
    faults = []
    if not 0 < len(entries) <= _MOST_ENTRIES:
        faults.append(Fault("zip", f"has {len(entries)} entries; 1 to {_MOST_ENTRIES} are allowed"))
    total = sum(entry.file_size for entry in entries)
    if total > _MOST_BYTES:
        faults.append(Fault("zip", f"unpacks to more than {_MOST_BYTES:,} bytes"))
    for position, entry in enumerate(entries[:_MOST_ENTRIES], start=1):
        where = f"zip entry {position}"
        if entry.file_size > max(_SMALL, _MOST_RATIO * entry.compress_size):
            faults.append(Fault(where, f"is compressed by more than a factor of {_MOST_RATIO}"))
        if entry.compress_type not in _PLAIN or entry.flag_bits & 1:
            faults.append(Fault(where, "is encrypted or uses an unsupported compression"))
        if not entry.filename.lower().endswith(".xml"):
            faults.append(Fault(where, "is not an .xml file"))
    return faults


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        content = stream.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        raise zipfile.BadZipFile
    return content


def _check_document(name: str, document: bytes) -> None:
    problem = ""
    if document.startswith(_ARCHIVES):
        problem = "is an archive itself"
    elif document.startswith(_OTHER_ENCODINGS):
        problem = "is not UTF-8"
    elif any(mark in document for mark in _DECLARATIONS):
        problem = "has a document type declaration or entities"
    if problem:
        raise GridRejected("The archive was rejected.", [Fault(f"zip entry {name}", problem)])
