"""``python tests/fuzz/fuzz_readers.py READER [libFuzzer options]``: needs the package atheris.

Not run by pytest. A reader may only give a grid or refuse; anything else ends the run.
"""

import sys
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


def make_target(reader: str) -> Callable[[bytes], None]:
    """Return what libFuzzer calls with its inputs."""
    with atheris.instrument_imports(include=["app"]):
        read: Callable[[Request], ReadGrid] = import_module(MODULES[reader]).read

    def target(content: bytes) -> None:
        request = Request(reader, {"file": content}, limits=ReadLimits(_SMALL, _SMALL))
        try:
            decode_answer(encode_grid(read(request)))
        except Rejected:
            return

    return target


def main() -> None:
    """Fuzz the named reader until it fails or is stopped."""
    reader = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if reader not in MODULES:
        sys.exit(f"name a reader: {', '.join(MODULES)}")
    atheris.Setup(sys.argv, make_target(reader))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
