"""``python tests/fuzz/fuzz_readers.py READER [libFuzzer options]``: needs the package atheris.

Not run by pytest. A reader may only give a grid or refuse; anything else ends the run.
"""

import io
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module

import atheris

with atheris.instrument_imports(include=["app"]):
    from app.errors import Rejected
    from app.grid.report import ReadGrid
    from app.ingest.formats import MODULES
    from app.ingest.protocol import ReadLimits, Request, decode_answer, encode_grid

_SMALL = 1000
"""Buses and branches: large grids only slow the search down."""
_TABLES = ("gridkit", "opendss", "pypsa", "simbench")
"""Readers of archives: an input that is no archive is packed, so that the tables are searched."""
_SEPARATOR = b"\x1c"


def make_target(reader: str) -> Callable[[bytes], None]:
    """Return what libFuzzer calls with its inputs."""
    with atheris.instrument_imports(include=["app"]):
        read: Callable[[Request], ReadGrid] = import_module(MODULES[reader]).read

    def target(content: bytes) -> None:
        file = _pack(content) if reader in _TABLES else content
        request = Request(reader, {"file": file}, limits=ReadLimits(_SMALL, _SMALL))
        try:
            decode_answer(encode_grid(read(request)))
        except Rejected:
            return

    return target


def _pack(content: bytes) -> bytes:
    """Make an archive of names and tables, both separated by one character; else as it is."""
    parts = content.split(_SEPARATOR)
    if len(parts) < 2:
        return content
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, table in dict(zip(parts[::2], parts[1::2], strict=False)).items():
            archive.writestr(name.decode("latin-1").partition("\0")[0] or "x", table)
    return stream.getvalue()


def main() -> None:
    """Fuzz the named reader until it fails or is stopped."""
    reader = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if reader not in MODULES:
        sys.exit(f"name a reader: {', '.join(MODULES)}")
    atheris.Setup(sys.argv, make_target(reader))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
