"""The corpus of real grids: built-in cases, the data folder, SimBench; each read in a process."""

import io
import resource
import time
import zipfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import msgspec

from app.errors import LevygridError
from app.grid.report import ImportReport
from app.ingest.cases.catalogue import list_cases, read_named_case
from app.ingest.protocol import ReadLimits, ReadOptions
from app.ingest.upload import Upload, read_upload

_TEXTS = (".md", ".txt")
_MIB = 2**20


class CorpusEntry(msgspec.Struct, frozen=True):
    """One grid: a built-in case, a file, a folder to pack, or a folder inside a wheel."""

    title: str
    case: str = ""
    path: str = ""
    folder: str = ""


class CorpusFigures(msgspec.Struct, frozen=True):
    """What reading one grid gives and takes.

    ``seconds`` includes the start of the reader process; on a busy machine, compare the
    ``processor_seconds`` of that process. ``peak_mb`` is the peak memory of that
    process, and at least that of the process that starts it, about 80 MB.
    """

    title: str
    format: str
    buses: int
    branches: int
    lines: int
    transformers: int
    islands: int
    coordinates: str
    seconds: float
    processor_seconds: float
    peak_mb: int
    problem: str = ""


def list_entries(datasets: Path | None) -> Iterator[CorpusEntry]:
    """List the grids of the data folder, of SimBench and of the installed packages."""
    if datasets is not None:
        yield from _list_files(datasets / "grids")
    yield from _list_simbench(datasets)
    for case in list_cases():
        yield CorpusEntry(case.name, case=case.name)


def measure_entries(entries: Iterable[CorpusEntry]) -> Iterator[CorpusFigures]:
    """Read every grid from a fresh process, so that the peak memory is that of its reader."""
    # A forked process would begin with the peak of this one.
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        yield from pool.imap(read_entry, entries, chunksize=1)


def read_entry(entry: CorpusEntry) -> CorpusFigures:
    """Read a grid and measure it; a refusal is a figure too."""
    content = b"" if entry.case else _load(entry)
    start = time.perf_counter()
    try:
        read = (
            read_named_case(entry.case, ReadOptions(), ReadLimits())
            if entry.case
            else read_upload(Upload(content), ReadLimits())
        )
    except LevygridError as error:
        return _describe(entry.title, None, time.perf_counter() - start, str(error))
    return _describe(entry.title, read.report, time.perf_counter() - start)


def _describe(
    title: str, report: ImportReport | None, seconds: float, problem: str = ""
) -> CorpusFigures:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    kinds = {} if report is None else report.branch_kinds
    return CorpusFigures(
        title=title,
        format="" if report is None else report.format,
        buses=0 if report is None else report.buses,
        branches=0 if report is None else report.branches,
        lines=kinds.get("line", 0),
        transformers=kinds.get("transformer", 0),
        islands=0 if report is None else report.islands,
        coordinates="none" if report is None else report.coordinates,
        seconds=round(seconds, 2),
        processor_seconds=round(used.ru_utime + used.ru_stime, 2),
        peak_mb=used.ru_maxrss * 1024 // _MIB,
        problem=problem,
    )


def _list_files(root: Path) -> Iterator[CorpusEntry]:
    """List the innermost folders, each of which is one grid, and the files beside folders."""
    for path in sorted(root.rglob("*")):
        title = path.relative_to(root).as_posix()
        if path.is_dir():
            if not any(child.is_dir() for child in path.iterdir()):
                yield CorpusEntry(title, path=str(path))
        elif path.suffix not in _TEXTS and any(one.is_dir() for one in path.parent.iterdir()):
            yield CorpusEntry(title, path=str(path))


def _list_simbench(datasets: Path | None) -> Iterator[CorpusEntry]:
    """List the scenarios of the installed package, or of its wheel in the data folder."""
    spec = find_spec("simbench")
    if spec is not None and spec.origin is not None:
        for table in sorted((Path(spec.origin).parent / "networks").glob("*/Node.csv")):
            yield CorpusEntry(f"simbench {table.parent.name}", path=str(table.parent))
        return
    wheels = sorted(datasets.glob("simbench-*.whl")) if datasets is not None else []
    for wheel in wheels[-1:]:
        with zipfile.ZipFile(wheel) as archive:
            names = [name.rpartition("/")[0] for name in archive.namelist()]
        for folder in sorted({name for name in names if name.startswith("simbench/networks/1-")}):
            title = f"simbench {folder.rpartition('/')[2]}"
            yield CorpusEntry(title, path=str(wheel), folder=f"{folder}/")


def _load(entry: CorpusEntry) -> bytes:
    """Return a file, or a folder as a zip archive, as a user would upload it."""
    path = Path(entry.path)
    if path.is_file() and not entry.folder:
        return path.read_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        if path.is_dir():
            for file in sorted(path.iterdir()):
                packed.write(file, f"{path.name}/{file.name}")
        else:
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if name.startswith(entry.folder) and name.endswith(".csv"):
                        packed.writestr(name.rpartition("/")[2], wheel.read(name))
    return stream.getvalue()
