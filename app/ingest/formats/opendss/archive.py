"""Files of an upload: found by name as OpenDSS does, never outside the upload."""

import re

from app.errors import GridRejected
from app.ingest.formats.guards.zip_guard import GuardedArchive
from ml.errors import Fault

_SINGLE = "file.dss"
_EXTENSION = ".dss"
_BYTE_ORDER_MARK = "\ufeff"
_DRIVE = re.compile(r"[A-Za-z]:")
_ANY_LINE = re.IGNORECASE | re.MULTILINE
_CIRCUIT = re.compile(r"^[ \t]*new[ \t]+(?:object[ \t]*=[ \t]*)?[\"']?circuit\.", _ANY_LINE)
_INCLUDE = re.compile(r"^[ \t]*(?:redirect|compile)[ \t]+([^\r\n!]+)", _ANY_LINE)


class OutsidePath(Exception):
    """A path that is absolute or leads out of its folder."""


class Scripts:
    """The files of one upload: a zip, or a single script. Names do not depend on case."""

    def __init__(self, content: bytes) -> None:
        """Raises: GridRejected if a zip cannot be read."""
        self._single = None if content.startswith(b"PK") else content
        self._archive = GuardedArchive(content) if self._single is None else None
        names = self._archive.names if self._archive else [_SINGLE]
        self._names: dict[str, str] = {}
        for name in names:
            self._names.setdefault(name.replace("\\", "/").lower(), name)
        self._texts: dict[str, str] = {}
        self._used: set[str] = set()

    def list_scripts(self) -> list[str]:
        """Return the keys of all ``.dss`` files, sorted."""
        return sorted(name for name in self._names if name.endswith(_EXTENSION))

    def get_title(self, key: str) -> str:
        """Return the name of a file as it is written in the archive."""
        return self._names[key][-100:]

    def read(self, key: str) -> str:
        """Return the text of a file. Raises: GridRejected if it cannot be unpacked."""
        if key not in self._texts:
            content = self._single
            if self._archive:
                content = self._archive.read(self._names[key])
            self._texts[key] = _decode(content or b"")
        return self._texts[key]

    def use(self, key: str) -> str:
        """Return the text of a file that takes part in the circuit. Raises: GridRejected."""
        self._used.add(key)
        return self.read(key)

    def list_unread(self) -> list[str]:
        """Return the keys of the ``.dss`` files that were not used."""
        return [key for key in self.list_scripts() if key not in self._used]

    def find(self, path: str, folder: str) -> str | None:
        """Return the key of a file named by a script in ``folder``.

        Raises: OutsidePath.
        """
        path = path.replace("\\", "/").strip().lower()
        if path.startswith(("/", "~")) or _DRIVE.match(path) or ".." in path.split("/"):
            raise OutsidePath
        parts = [part for part in path.split("/") if part not in ("", ".")]
        for start in dict.fromkeys((folder, "")):
            key = "/".join([*(part for part in (start,) if part), *parts])
            for wanted in (key, key + _EXTENSION):
                if wanted in self._names:
                    return wanted
        return None


def get_folder(key: str) -> str:
    """Return the folder of a file."""
    return key.rpartition("/")[0]


def choose_main(scripts: Scripts) -> str:
    """Return the script to start with.

    A candidate defines a circuit, itself or through the files that it includes. A file named
    ``master`` comes first, then names that begin so, then files that no other one includes.
    Raises: GridRejected if there is none.
    """
    names = scripts.list_scripts()
    includes = {name: _list_includes(scripts, name) for name in names}
    included = {other for others in includes.values() for other in others}
    defining = {name for name in names if _CIRCUIT.search(scripts.read(name))}
    while True:
        more = {name for name, others in includes.items() if defining & others} - defining
        if not more:
            break
        defining |= more
    if not defining:
        problem = "no .dss file of the upload has the statement New Circuit"
        raise GridRejected("The upload has no OpenDSS circuit.", [Fault("file", problem)])

    def rank(name: str) -> tuple[int, bool, str]:
        stem = name.rpartition("/")[2].removesuffix(_EXTENSION)
        grade = 0 if stem == "master" else 1 if stem.startswith("master") else 2
        return grade, name in included, name

    return min(defining, key=rank)


def _list_includes(scripts: Scripts, name: str) -> set[str]:
    found = set()
    for line in _INCLUDE.finditer(scripts.read(name)):
        path = line[1].strip().strip("\"'()[]{}").strip()
        try:
            other = scripts.find(path, get_folder(name))
        except OutsidePath:
            continue
        if other is not None and other != name:
            found.add(other)
    return found


def _decode(content: bytes) -> str:
    try:
        # Only these two encodings need no file, which the confined process cannot open.
        return content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        return content.decode("latin-1")
