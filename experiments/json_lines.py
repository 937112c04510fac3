"""JSON Lines files that several processes may update at the same time.

Each line is one object. A writer holds the lock of the folder, writes the whole file under another
name and renames it, so that a reader never sees half a file, even if the writer is killed.
"""

import fcntl
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

Line = dict[str, Any]
Key = Mapping[str, str | int]
"""Fields that identify a line, with their values."""
LOCK_NAME = ".lock"


def read_lines(path: Path) -> tuple[Line, ...]:
    """Return the objects of a file, or none if the file is absent.

    The objects are shared between callers and must not be changed.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return ()
    return _parse(path, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=32)
def _parse(path: Path, _version: tuple[int, int, int]) -> tuple[Line, ...]:
    """Parse one version of a file; a renamed file has another inode or time of change."""
    with path.open(encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)


def find_line(path: Path, key: Key) -> Line | None:
    """Return the object whose fields have the values of the key, or ``None``."""
    return next((line for line in read_lines(path) if _matches(line, key)), None)


def update_line(path: Path, key: Key, change: Callable[[Line | None], Line]) -> None:
    """Replace the line of a key by ``change(line)``, or ``change(None)`` if there is none.

    The new line has the fields of the key too. Lines are sorted by these fields, so that a changed
    result is a small difference.
    """
    with _locked(path.parent):
        lines = read_lines(path)
        others = [line for line in lines if not _matches(line, key)]
        old = next((line for line in lines if _matches(line, key)), None)
        ordered = sorted([*others, change(old)], key=lambda line: tuple(line[name] for name in key))
        replace_text(path, _format(ordered))


def _matches(line: Line, key: Key) -> bool:
    return all(line.get(name) == value for name, value in key.items())


def _format(lines: Iterable[Line]) -> str:
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def replace_text(path: Path, text: str) -> None:
    """Write a file in one step: readers see the old text or the new one, never a part."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change the files of a folder.

    The operating system releases the lock when its holder ends, however it ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK_NAME).open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
