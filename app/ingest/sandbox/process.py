"""Main function of a reader process: confines itself, then reads one request and answers it."""

import gc
import os
import resource
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ml import die_with_parent

_STDIN, _STDOUT = 0, 1


def main() -> None:
    """Read a request from standard input and write the answer to standard output.

    Arguments of the process: the modules to import, separated by commas, of which the first
    has ``read``; bytes of address space; seconds of processor time. Both numbers are 0 for a
    reader of our own data, which is not confined.
    """
    modules, memory, seconds = sys.argv[-3].split(","), int(sys.argv[-2]), int(sys.argv[-1])
    if memory:
        _limit_resources(memory, seconds)
    else:
        die_with_parent(os.getppid(), signal.SIGKILL)
    # One thread: BLAS would otherwise reserve address space for every core.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    gc.disable()  # one answer, then the end: collecting takes a third of the time of large tables
    sys.stdout = sys.stderr  # nothing that a library prints may get into the answer
    reader, *_ = [import_module(name) for name in modules]
    if memory:
        _forbid_files_and_processes()
    _write(_answer(reader.read, _read_all()))
    os._exit(0)  # libraries take up to a second to shut down and have nothing to save


def _answer(read: Callable[..., Any], content: bytes) -> bytes:
    import msgspec

    from app.errors import GridRejected, Rejected
    from app.ingest import protocol

    request = msgspec.msgpack.decode(content, type=protocol.Request)
    try:
        read_grid = read(request)
        if request.options.columns == "topology":
            from app.ingest.build.centrality import add_topology_columns

            read_grid = add_topology_columns(read_grid)
    except Rejected as error:
        return protocol.encode_rejection(error)
    except MemoryError:
        return protocol.encode_rejection(GridRejected("Reading the file needs too much memory."))
    return protocol.encode_grid(read_grid)


def _limit_resources(memory: int, seconds: int) -> None:
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_FSIZE, 0)
    _set_limit(resource.RLIMIT_CPU, seconds)
    _set_limit(resource.RLIMIT_AS, memory)


def _forbid_files_and_processes() -> None:
    # After the imports: from here on no path named in the file can be opened.
    _set_limit(resource.RLIMIT_NPROC, 0)
    _set_limit(resource.RLIMIT_NOFILE, 0)


def _set_limit(kind: int, value: int) -> None:
    resource.setrlimit(kind, (value, value))


def _read_all() -> bytes:
    size = os.fstat(_STDIN).st_size
    parts = []
    while size > 0 and (part := os.read(_STDIN, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(answer: bytes) -> None:
    view = memoryview(answer)
    while view:
        view = view[os.write(_STDOUT, view) :]
