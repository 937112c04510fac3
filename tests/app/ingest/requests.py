"""Requests to readers, as the sandbox would hand them over."""

import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import scipy.io

from app.grid.report import ReadGrid
from app.ingest.formats.matpower.text import parse_text
from app.ingest.protocol import ReadOptions, Request


def ask(reader: str, content: bytes | str, **options: str) -> Request:
    file = content if isinstance(content, bytes) else content.encode()
    return Request(reader, {"file": file}, ReadOptions(**options))


def ask_file(reader: str, path: Path, **options: str) -> Request:
    return ask(reader, path.read_bytes(), **options)


def report_of(read: ReadGrid) -> dict[str, Any]:
    """Return the import report as clients see it."""
    report: dict[str, Any] = msgspec.to_builtins(read.report)
    return report


SMALL_CASE = """function mpc = small
%SMALL  three buses
mpc.version = '2';
mpc.baseMVA = 100;
mpc.bus = [
\t1\t3\t0\t0\t0\t0\t1\t1.0\t0\t138\t1\t1.1\t0.9;
\t2\t1\t50\t10\t0\t5\t1\t0.98\t-2\t138\t2\t1.1\t0.9; % a comment ] with a bracket
\t10\t2\t0\t0\t0\t0\t2\t1.01\t1\t13.8\t2\t1.1\t0.9;
];
mpc.gen = [
\t1\t40\t0\t10\t-10\t1\t100\t1\t80\t0;
\t10\t10\t0\t10\t-10\t1\t100\t0\t20\t0;
];
mpc.branch = [
\t1\t2\t0.01\t0.1\t0.02\t250\t250\t250\t0\t0\t1\t-360\t360;
\t2\t1\t0.01\t0.1\t0.02\t250\t250\t250\t0\t0\t1\t-360\t360;
\t2\t10\t0\t0.2\t0\t0\t0\t0\t0.98\t0\t1\t-360\t360;
\t1\t10\t0\t0.2\t0\t0\t0\t0\t0\t0\t0\t-360\t360;
\t1\t1\t0\t0.2\t0\t0\t0\t0\t0\t0\t1\t-360\t360;
];
mpc.bus_name = {
\t'One';
\t'O''Two % }';
\t'Ten';
};
mpc.gencost = [
\t2\t0\t0\t3\t0.01\t40\t0;
];
"""


def make_mat_file() -> bytes:
    """Return the small case as MATLAB would save it."""
    case = parse_text(SMALL_CASE.encode())
    struct = {
        "version": "2",
        "baseMVA": 100.0,
        "bus": case.bus,
        "branch": case.branch,
        "gen": case.gen,
        "bus_name": np.array([["One"], ["Two"], ["Ten"]], dtype=object),
    }
    stream: Any = io.BytesIO()
    scipy.io.savemat(stream, {"mpc": struct})
    content: bytes = stream.getvalue()
    return content
