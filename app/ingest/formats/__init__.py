"""File formats: the only list of them, and how each is recognised by its content.

A format module has ``read(request: Request) -> ReadGrid``; it is imported only in the process
that reads the file. Formats do not import each other.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import GridRejected
from app.ingest.formats.archives import (
    is_gridkit,
    is_gridkit_table,
    is_pypsa,
    is_simbench,
    list_base_names,
)
from app.ingest.formats.foreign import find_foreign
from ml.errors import Fault

_HEAD = 4096
_ZIP = b"PK\x03\x04"
_MATLAB_BINARY = (b"MATLAB 5.0 MAT-file", b"\x89HDF")
_NOT_TEXT = (_ZIP, *_MATLAB_BINARY, b"{", b"<")
_CIM = b"rdf:RDF"
_PANDAPOWER_NET = re.compile(rb'"_class"\s*:\s*"pandapowerNet"|"_object"\s*:')
_DSS_CIRCUIT = b"new circuit."
_MOST_SEARCHED = 2**16
"""Bytes that are searched for an OpenDSS circuit."""
_CSV_SOURCES = {b"source", b"from", b"from_bus"}
_CSV_HINT = (
    "; a CSV file of branches needs the columns source and target, "
    "a CSV file of buses is sent beside it as `buses`"
)

_ARCHIVES = (
    "an archive holds one grid: the XML profiles of CGMES, the CSV folder of PyPSA, the CSV tables "
    "of SimBench (Node.csv, ...), GridKit files (buses.csv, lines.csv, ...) or OpenDSS scripts "
    "(.dss)"
)


@dataclass(frozen=True, slots=True)
class Format:
    """One file format: its name in the API, the module that reads it, and its recogniser."""

    name: str
    module: str
    recognise: Callable[[bytes], bool]


def find_format(content: bytes) -> Format | None:
    """Return the format that the content of a file shows; a file name is never looked at."""
    return next((form for form in READERS if form.recognise(content)), None)


def choose_format(content: bytes, name: str | None) -> Format:
    """Return the format that the client has named, or the one that the content shows.

    Raises: GridRejected if the client has named none and the content shows none.
    """
    if name is not None:
        return next(form for form in READERS if form.name == name)
    foreign = find_foreign(content)
    if foreign is not None:
        fault = Fault("file", f"is {foreign.title}: {foreign.advice}")
        raise GridRejected(f"Unsupported file: {foreign.title}.", [fault])
    form = find_format(content)
    if form is not None and form.name == "cgmes":
        _check_archive(content)
    if form is None and _CIM in content[:_HEAD]:
        problem = "looks like one CGMES profile: send all profiles in one zip archive"
        raise GridRejected("The file is only one part of a grid.", [Fault("file", problem)])
    if form is None:
        problem = f"not recognised; name one of {', '.join(FORMATS)}"
        problem += _CSV_HINT if _looks_like_table(content) else ""
        raise GridRejected("Unknown file format.", [Fault("format", problem)])
    return form


def _check_archive(content: bytes) -> None:
    """Explain what an archive may hold. Raises: GridRejected if it holds nothing of that."""
    names = list_base_names(content)
    if names and not any(name.endswith(".xml") for name in names):
        raise GridRejected("Unknown content of an archive.", [Fault("file", _ARCHIVES)])


def is_matlab_binary(content: bytes) -> bool:
    """Tell a binary ``.mat`` file, which may be damaged, from a MATPOWER case in text form."""
    return content.startswith(_MATLAB_BINARY) or b"\0" in content[:_HEAD]


def _strip_head(content: bytes) -> bytes:
    return content[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()


def _first_line(content: bytes) -> bytes:
    """Return the first line of a text; nothing for archives, binaries, JSON and XML."""
    head = _strip_head(content)
    return b"" if head.startswith(_NOT_TEXT) else head.partition(b"\n")[0].strip()


def _is_pandapower(content: bytes) -> bool:
    head = _strip_head(content)
    return head.startswith(b"{") and _PANDAPOWER_NET.search(head) is not None


def _is_json(content: bytes) -> bool:
    return _strip_head(content).startswith(b"{")


def _is_zip(content: bytes) -> bool:
    return content.startswith(_ZIP)


def _is_opendss(content: bytes) -> bool:
    if content.startswith(_ZIP):
        return any(name.endswith(".dss") for name in list_base_names(content))
    if not _first_line(content) or _DSS_CIRCUIT not in content[:_MOST_SEARCHED].lower():
        return False
    # Any text may contain the words: a file that begins as another format is of that format.
    others = (_is_ucte, _is_matpower, _is_csv, _is_psse, _is_gridkit)
    return not any(recognises(content) for recognises in others)


def _is_graphml(content: bytes) -> bool:
    head = _strip_head(content)
    return head.startswith(b"<") and b"graphml" in head.lower()


def _is_ucte(content: bytes) -> bool:
    return _first_line(content).startswith(b"##")


def _is_matpower(content: bytes) -> bool:
    if content.startswith(_MATLAB_BINARY):
        return True
    first = _first_line(content)
    begins = b"mpc" in content[:_HEAD] and first.startswith((b"function", b"%", b"mpc"))
    return begins or (bool(first) and b"mpc.bus" in content and b"mpc.branch" in content)


def _is_csv(content: bytes) -> bool:
    return bool(_CSV_SOURCES.intersection(_split_header(content)))


def _is_psse(content: bytes) -> bool:
    columns = _split_header(content)
    return len(columns) >= 3 and columns[0] in (b"0", b"1")


def _is_gridkit(content: bytes) -> bool:
    return is_gridkit_table(_first_line(content)) or is_gridkit(content)


def _split_header(content: bytes) -> list[bytes]:
    line = _first_line(content).lower().replace(b";", b",").replace(b"\t", b",")
    return [column.strip() for column in line.replace(b'"', b"").split(b",")]


def _looks_like_table(content: bytes) -> bool:
    first = content[:_HEAD].partition(b"\n")[0]
    return any(delimiter in first for delimiter in (b",", b";", b"\t"))


READERS = (
    Format("opendss", "app.ingest.formats.opendss.network", _is_opendss),
    Format("pandapower", "app.ingest.formats.pandapower.network", _is_pandapower),
    Format("json", "app.ingest.formats.node_link", _is_json),
    Format("pypsa", "app.ingest.formats.pypsa.network", is_pypsa),
    Format("simbench", "app.ingest.formats.simbench.network", is_simbench),
    Format("gridkit", "app.ingest.formats.gridkit.network", _is_gridkit),
    Format("cgmes", "app.ingest.formats.powerio.cgmes", _is_zip),
    Format("graphml", "app.ingest.formats.graphml", _is_graphml),
    Format("ucte", "app.ingest.formats.ucte.network", _is_ucte),
    Format("matpower", "app.ingest.formats.matpower.reader", _is_matpower),
    Format("csv", "app.ingest.formats.csv_tables", _is_csv),
    Format("psse", "app.ingest.formats.powerio.psse", _is_psse),
)
"""All file formats; the first one whose recogniser agrees is taken."""

FORMATS = tuple(form.name for form in READERS)
TOPOLOGY = "topology"
"""Reader of a long JSON body of POST /graphs; not a file format that a client can name."""
MODULES = {TOPOLOGY: "app.ingest.build.topology"} | {form.name: form.module for form in READERS}
"""The module that reads for each reader name."""
