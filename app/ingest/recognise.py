"""Which format a file is in: said by the client or found in the content, never in its name."""

from typing import Literal, TypeAlias, get_args

from app.errors import GridRejected
from ml.errors import Fault

FormatName: TypeAlias = Literal[
    "json", "pandapower", "matpower", "csv", "graphml", "ucte", "cgmes", "psse"
]
FORMATS: tuple[str, ...] = get_args(FormatName)
_HEAD = 4096
_BINARY_MATLAB = b"MATLAB 5.0 MAT-file"
_HDF5 = b"\x89HDF"
_ZIP = b"PK\x03\x04"
_CIM = b"rdf:RDF"
_SOURCES = {b"source", b"from", b"from_bus"}
_CSV_HINT = (
    "; a CSV of branches needs the columns source and target, "
    "and one of buses goes beside it as `buses`"
)


def choose_reader(content: bytes, said: str | None) -> str:
    """Return the name of the reader: the format that the client said or the content shows.

    Raises: GridRejected if the format cannot be told.
    """
    reader = said or guess_format(content)
    if reader is None and _CIM in content[:_HEAD]:
        problem = "the file looks like one profile of CGMES: send all profiles in one zip"
        raise GridRejected("The file is only a part of a grid.", [Fault("file", problem)])
    if reader is None:
        problem = f"does not look like any of {', '.join(FORMATS)}; say which it is"
        problem += _CSV_HINT if _looks_like_table(content) else ""
        raise GridRejected("The format cannot be told.", [Fault("format", problem)])
    if reader == "matpower" and not _is_text(content):
        return "matpower_mat"
    return reader


def guess_format(content: bytes) -> str | None:
    """Return the format the first bytes of a file show, None if they show none."""
    head = content[:_HEAD]
    if head.startswith(_ZIP):
        return "cgmes"
    if head.startswith((_BINARY_MATLAB, _HDF5)):
        return "matpower"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "pandapower" if b"pandapowerNet" in text or b'"_object"' in text else "json"
    if text.startswith(b"<"):
        return "graphml" if b"graphml" in text.lower() else None
    return _guess_text(text, content)


def _guess_text(text: bytes, content: bytes) -> str | None:
    first = text.partition(b"\n")[0].strip()
    if first.startswith(b"##"):
        return "ucte"
    if b"mpc" in text[:_HEAD] and first.startswith((b"function", b"%", b"mpc")):
        return "matpower"
    if b"mpc.bus" in content and b"mpc.branch" in content:
        return "matpower"
    columns = first.lower().replace(b";", b",").replace(b"\t", b",").replace(b'"', b"").split(b",")
    if _SOURCES & {column.strip() for column in columns}:
        return "csv"
    looks_like_raw = len(columns) >= 3 and columns[0].strip() in (b"0", b"1")
    return "psse" if looks_like_raw else None


def _looks_like_table(content: bytes) -> bool:
    first = content[:_HEAD].partition(b"\n")[0]
    return any(delimiter in first for delimiter in (b",", b";", b"\t"))


def _is_text(content: bytes) -> bool:
    return not content.startswith((_BINARY_MATLAB, _HDF5)) and b"\0" not in content[:_HEAD]
