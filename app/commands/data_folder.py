"""Creates, checks and locks the data folder, which one service uses at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from app.errors import AlreadyRunning, FolderUnwritable

_LOCK_NAME = "serve.lock"


def prepare_data_folder(folder: Path) -> None:
    """Create the folder if it does not exist. Raises: FolderUnwritable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderUnwritable(
            f"The data folder {folder} cannot be written to ({reason}). "
            "Set LEVYGRID_DATA_DIR to a writable folder."
        ) from error


@contextmanager
def hold_data_folder(folder: Path) -> Iterator[None]:
    """Lock the folder against a second service; the kernel unlocks it when this process ends.

    Raises: FolderUnwritable, AlreadyRunning.
    """
    prepare_data_folder(folder)
    with (folder / _LOCK_NAME).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise AlreadyRunning(
                f"Levygrid already runs on the data folder {folder} (process {holder})."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
