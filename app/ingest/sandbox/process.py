"""The throw-away process that reads one file: it confines itself before it sees a byte."""

import os
import resource
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_STDIN, _STDOUT = 0, 1

READERS = {
    "cgmes": "app.ingest.formats.powerio.cgmes",
    "csv": "app.ingest.formats.csv_tables",
    "graphml": "app.ingest.formats.graphml",
    "json": "app.ingest.formats.node_link",
    "matpower": "app.ingest.formats.matpower.text",
    "matpower_mat": "app.ingest.formats.matpower.binary",
    "pandapower": "app.ingest.formats.pandapower.network",
    "psse": "app.ingest.formats.powerio.psse",
    "topology": "app.ingest.formats.topology",
    "ucte": "app.ingest.formats.ucte.network",
}
"""Which module reads a format; every one has ``read(request) -> ReadGrid``."""


def main() -> None:
    """Read the named format from standard input, write the answer to standard output.

    Arguments of the process: reader, bytes of address space, seconds of processor time.
    """
    reader, memory, seconds = sys.argv[-3], int(sys.argv[-2]), int(sys.argv[-1])
    _limit_resources(memory, seconds)
    # One thread: BLAS would otherwise reserve address space for every core.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    read = import_module(READERS[reader]).read
    import_module("app.ingest.build.centrality")  # while files may still be opened
    _forbid_files_and_processes()
    _write(_answer(read, _read_all()))


def _answer(read: Callable[..., Any], content: bytes) -> bytes:
    import msgspec

    from app.errors import GridRejected, Rejected
    from app.ingest import protocol as exchange
    from app.ingest.build.centrality import add_topology_columns

    request = msgspec.msgpack.decode(content, type=exchange.Request)
    try:
        found = read(request)
        if request.options.get("columns") == "topology":
            found = add_topology_columns(found)
    except Rejected as error:
        return exchange.encode_rejection(error)
    except MemoryError:
        return exchange.encode_rejection(GridRejected("The file needs too much memory to read."))
    return exchange.encode_grid(found)


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
