"""Guarded reading of untrusted zip archives: checked before unpacking, never written to disk."""

import codecs
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.errors import GridRejected
from ml.errors import Fault

codecs.lookup("cp437")  # zipfile's encoding of names; loaded before files are forbidden

_MOST_ENTRIES = 50
_MOST_FILES = 5000
_MOST_BYTES = 400 * 2**20
_MOST_RATIO = 100
_SMALL = 2**20
"""Up to this size the compression ratio of an entry is not limited."""
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
_ARCHIVES = (b"PK", b"\x1f\x8b", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"Rar!")
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_MOST_LISTED = 2000
"""Entries that are looked at to recognise the format of an archive."""
_MOST_TABLES = 500
_PEEKED = 4096
_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")


class ListedEntry(NamedTuple):
    """An entry as the directory of an archive lists it: nothing of it is checked."""

    name: str
    offset: int
    deflated: bool


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


def read_tables(content: bytes, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Return the wanted entries of a zip by file name in lower case, without their folders.

    All other entries are left packed: neither their size nor their content matters.
    Raises: GridRejected as ``read_xml_archive``; also for two wanted entries of one name.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_TABLES:
                fault = Fault("zip", f"has more than {_MOST_TABLES} entries")
                raise GridRejected("The archive was rejected.", [fault])
            entries = [info for info in infos if is_wanted(find_base_name(info.filename))]
            faults = [*_list_entry_faults(entries), *_list_repeated(entries)]
            if faults:
                raise GridRejected("The archive was rejected.", faults)
            return {find_base_name(one.filename): _unpack(archive, one) for one in entries}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise GridRejected("The file is not a readable zip archive.") from error
    except (RuntimeError, zlib.error) as error:
        raise GridRejected("The archive is encrypted or damaged.") from error


def find_base_name(path: str) -> str:
    """Return the file name in lower case; "" for folders and for the notes of a Mac."""
    return "" if path.startswith("__MACOSX") else path.rpartition("/")[2].lower()


def list_entries(content: bytes) -> Iterator[ListedEntry]:
    """List the first 2,000 entries of an archive by its directory; nothing if it is damaged.

    In bounded time and without unpacking: the service itself calls this.
    """
    at = content.rfind(b"PK\x05\x06", max(0, len(content) - 65_557))
    if at < 0 or at + _END.size > len(content):
        return
    position = _END.unpack_from(content, at)[6]
    for _ in range(_MOST_LISTED):
        if position + _CENTRAL.size > len(content):
            return
        mark, _, _, _, method, *_, name, extra, comment, _, _, _, offset = _CENTRAL.unpack_from(
            content, position
        )
        if mark != b"PK\x01\x02":
            return
        start = position + _CENTRAL.size
        text = content[start : start + name].decode("utf-8", "replace")
        yield ListedEntry(text, offset, method == zipfile.ZIP_DEFLATED)
        position = start + name + extra + comment


def peek(content: bytes, entry: ListedEntry) -> bytes:
    """Return the first bytes of an entry, at most 4,096; nothing if they cannot be read."""
    if entry.offset + _LOCAL.size > len(content):
        return b""
    name, extra = _LOCAL.unpack_from(content, entry.offset)[-2:]
    start = entry.offset + _LOCAL.size + name + extra
    packed = content[start : start + _PEEKED]
    if not entry.deflated:
        return packed
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, _PEEKED)
    except zlib.error:
        return b""


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
    faults.extend(_list_entry_faults(entries))
    for position, entry in enumerate(entries[:_MOST_ENTRIES], start=1):
        if not entry.filename.lower().endswith(".xml"):
            faults.append(Fault(f"zip entry {position}", "is not an .xml file"))
    return faults


def _list_entry_faults(entries: list[zipfile.ZipInfo]) -> list[Fault]:
    faults = []
    total = sum(entry.file_size for entry in entries)
    if total > _MOST_BYTES:
        faults.append(Fault("zip", f"unpacks to more than {_MOST_BYTES:,} bytes"))
    for position, entry in enumerate(entries[:_MOST_ENTRIES], start=1):
        where = f"zip entry {position}"
        if entry.file_size > max(_SMALL, _MOST_RATIO * entry.compress_size):
            faults.append(Fault(where, f"is compressed by more than a factor of {_MOST_RATIO}"))
        if entry.compress_type not in _PLAIN or entry.flag_bits & 1:
            faults.append(Fault(where, "is encrypted or uses an unsupported compression"))
    return faults


def _list_repeated(entries: list[zipfile.ZipInfo]) -> Iterator[Fault]:
    seen: set[str] = set()
    for entry in entries:
        name = find_base_name(entry.filename)
        if name in seen:
            yield Fault(name[:100], "is there more than once: send one grid per archive")
        seen.add(name)


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


class GuardedArchive:
    """A zip of many files: an entry is checked and unpacked when it is read, the others never."""

    def __init__(self, content: bytes) -> None:
        """Read the directory of the archive. Raises: GridRejected."""
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except _UNREADABLE as error:
            raise GridRejected("The file is not a readable zip archive.") from error
        entries = [entry for entry in self._archive.infolist() if not entry.is_dir()]
        if len(entries) > _MOST_FILES:
            fault = Fault("zip", f"has more than {_MOST_FILES:,} files")
            raise GridRejected("The archive was rejected.", [fault])
        self._entries = {entry.filename: entry for entry in entries}
        self._bytes = 0

    @property
    def names(self) -> list[str]:
        """The paths of all files."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """Unpack one file. Raises: GridRejected, also if the files read so far are too large."""
        entry = self._entries[name]
        self._bytes += entry.file_size
        faults = [Fault(name[:100], fault.problem) for fault in _list_entry_faults([entry])]
        if self._bytes > _MOST_BYTES:
            faults.append(Fault("zip", f"unpacks to more than {_MOST_BYTES:,} bytes"))
        if faults:
            raise GridRejected("The archive was rejected.", faults)
        try:
            return _unpack(self._archive, entry)
        except _UNREADABLE as error:
            raise GridRejected(f"{name[:100]} in the archive cannot be unpacked.") from error
