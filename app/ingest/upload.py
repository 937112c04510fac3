"""A file from a client -> grid: the format is found, the reader runs confined."""

from dataclasses import dataclass, replace

from app.errors import GridRejected
from app.grid.grid import ReadGrid
from app.grid.text_rules import find_text_problem
from app.ingest.build.topology import GridLimits
from app.ingest.build.weights import WEIGHT_CHOICES
from app.ingest.protocol import Request
from app.ingest.recognise import FORMATS, choose_reader, guess_format
from app.ingest.sandbox.run import Confinement, run_reader
from ml.errors import Fault

_NO_BUSES = Fault("buses", "only CSV has its buses in a second file")


@dataclass(frozen=True, slots=True)
class Upload:
    """What a client sent along with a file; None where it said nothing."""

    content: bytes
    format: str | None = None
    buses: bytes | None = None
    weight: str | None = None
    name: str | None = None
    check: str | None = None
    columns: str | None = None


def read_upload(upload: Upload, limits: GridLimits, confinement: Confinement) -> ReadGrid:
    """Read an uploaded grid. Raises: GridRejected listing every fault."""
    faults = [*_list_file_faults(upload), *list_option_faults(upload)]
    if faults:
        raise GridRejected("The upload has errors.", faults)
    reader = choose_reader(upload.content, upload.format)
    if upload.buses is not None and reader != "csv":
        raise GridRejected("The upload has a file too many.", [_NO_BUSES])
    files = {"file": upload.content}
    if upload.buses is not None:
        files["buses"] = upload.buses
    request = Request(
        reader=reader,
        files=files,
        options=list_options(upload),
        bus_limit=limits.buses,
        branch_limit=limits.branches,
    )
    try:
        read = run_reader(request, confinement)
    except GridRejected as error:
        raise GridRejected(str(error), [*error.faults, *_doubt_format(upload)]) from error
    return replace(read, report=read.report | {"format": reader.removesuffix("_mat")})


def _list_file_faults(upload: Upload) -> list[Fault]:
    faults = [] if upload.content.strip() else [Fault("file", "is empty")]
    if upload.buses is not None and upload.format not in (None, "csv"):
        faults.append(_NO_BUSES)
    return faults


def _doubt_format(upload: Upload) -> list[Fault]:
    """Say what a file looks like that is not what the client said it is."""
    seen = guess_format(upload.content)
    if upload.format is None or seen in (None, upload.format):
        return []
    return [Fault("format", f"was said to be {upload.format}; the file looks like {seen}")]


def list_option_faults(upload: Upload) -> list[Fault]:
    """Name every choice that there is not."""
    faults = []
    if upload.format not in (None, *FORMATS):
        faults.append(Fault("format", f"is not one of {', '.join(FORMATS)}"))
    if upload.weight not in (None, "given", *WEIGHT_CHOICES):
        faults.append(Fault("weight", f"is not one of given, {', '.join(WEIGHT_CHOICES)}"))
    if upload.check not in (None, "power_flow"):
        faults.append(Fault("check", "can only be power_flow"))
    if upload.columns not in (None, "topology"):
        faults.append(Fault("columns", "can only be topology"))
    problem = find_text_problem(upload.name) if upload.name else None
    if problem:
        faults.append(Fault("name", problem))
    return faults


def list_options(upload: Upload) -> dict[str, str]:
    """Return how a reader is to read. Raises: GridRejected for a choice that there is not."""
    faults = list_option_faults(upload)
    if faults:
        raise GridRejected("The options of the upload have errors.", faults)
    given = {
        "columns": upload.columns,
        "weight": upload.weight,
        "name": upload.name,
        "check": upload.check,
    }
    return {name: value for name, value in given.items() if value is not None}
