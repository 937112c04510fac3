"""A file from a client -> grid: finds the format, then runs its reader in a confined process."""

from dataclasses import dataclass, field, replace

import msgspec

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.grid.text_rules import find_text_problem
from app.ingest.build.coordinates import apply_coordinates, find_coordinates_problem
from app.ingest.build.weights import WEIGHT_CHOICES
from app.ingest.formats import FORMATS, choose_format, find_format
from app.ingest.formats.foreign import find_foreign
from app.ingest.protocol import ReadLimits, ReadOptions, Request
from app.ingest.sandbox.run import run_reader
from ml.errors import Fault

_NO_BUSES = Fault("buses", "only CSV and GridKit take a second file with the buses")
_TWO_FILES = ("csv", "gridkit")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file and the form fields sent with it; None for a field that was not sent."""

    content: bytes
    format: str | None = None
    buses: bytes | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    file_name: str = ""


def read_upload(upload: Upload, limits: ReadLimits) -> ReadGrid:
    """Read an uploaded grid. Raises: GridRejected listing every fault."""
    faults = [*_list_file_faults(upload), *list_upload_faults(upload)]
    if faults:
        raise GridRejected("The upload has errors.", faults)
    form = choose_format(upload.content, upload.format)
    files = {"file": upload.content}
    if upload.buses is not None:
        if form.name not in _TWO_FILES:
            raise GridRejected("Unexpected second file.", [_NO_BUSES])
        files["buses"] = upload.buses
    try:
        return read_file(Request(form.name, files, upload.options, limits))
    except GridRejected as error:
        raise GridRejected(str(error), [*error.faults, *_doubt_format(upload)]) from error


def read_file(request: Request) -> ReadGrid:
    """Run the reader of a file format; the report names the format.

    Raises: GridRejected if the coordinates do not fit the option; as ``run_reader``.
    """
    read = run_reader(request)
    read = replace(read, report=msgspec.structs.replace(read.report, format=request.reader))
    return apply_coordinates(read, request.options.coordinates)


def _list_file_faults(upload: Upload) -> list[Fault]:
    faults = [] if upload.content.strip() else [Fault("file", "is empty")]
    if upload.buses is not None and upload.format not in (None, *_TWO_FILES):
        faults.append(_NO_BUSES)
    return faults


def _doubt_format(upload: Upload) -> list[Fault]:
    """Name the format that a rejected file looks like, if the client has named another one."""
    foreign = find_foreign(upload.content)
    if foreign is not None:
        return [Fault("format", f"the file looks like {foreign.title}: {foreign.advice}")]
    seen = find_format(upload.content)
    if upload.format is None or seen is None or seen.name == upload.format:
        return []
    return [Fault("format", f"is given as {upload.format}; the file looks like {seen.name}")]


def list_upload_faults(upload: Upload) -> list[Fault]:
    """List every form field whose value is not allowed."""
    faults = list_option_faults(upload.options)
    if upload.format not in (None, *FORMATS):
        faults.insert(0, Fault("format", f"is not one of {', '.join(FORMATS)}"))
    return faults


def list_option_faults(options: ReadOptions) -> list[Fault]:
    """List every option whose value is not allowed."""
    faults = []
    if options.weight not in (None, "given", *WEIGHT_CHOICES):
        faults.append(Fault("weight", f"is not one of given, {', '.join(WEIGHT_CHOICES)}"))
    if options.check not in (None, "power_flow"):
        faults.append(Fault("check", "can only be power_flow"))
    if options.columns not in (None, "topology"):
        faults.append(Fault("columns", "can only be topology"))
    unknown = find_coordinates_problem(options.coordinates)
    if unknown:
        faults.append(Fault("coordinates", unknown))
    problem = find_text_problem(options.name) if options.name else None
    if problem:
        faults.append(Fault("name", problem))
    return faults
