"""``levygrid corpus``: docs/corpus.md, with counts, time and memory for every grid."""

from collections.abc import Iterable, Iterator

from app.bench._corpus import CorpusFigures

_INTRODUCTION = """# The corpus: every grid that is read

This page is written by `levygrid corpus --output docs/corpus.md`; `levygrid bench ingest` prints
the same figures. Measured are the grids below `grids` in the folder `LEVYGRID_DATASETS_DIR`, the
scenarios of `simbench` (installed, or its wheel in that folder), and every built-in case. A folder
is packed as a zip archive first, as a user would upload it.

Seconds are processor time of the reader process with its start, and for the networks of pandapower
its import and a power flow. Peak memory is that of the reader process, and at least that of the
process that starts it. The counts are those of the import report: out-of-service branches and loops
are left out. Lines and transformers do not add up to the branches where there are switches and
links.
"""
_HEADER = """
| grid | format | buses | branches | lines | transformers | islands | places | seconds | peak MB |
|---|---|---|---|---|---|---|---|---|---|"""


def make_corpus_page(rows: Iterable[CorpusFigures]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from (_INTRODUCTION, _HEADER.lstrip("\n"))
    refused = []
    for row in rows:
        if row.problem:
            refused.append(row)
        else:
            yield _write_row(row)
    if refused:
        yield "\n**Refused**\n"
    for row in refused:
        yield f"- {row.title}: {row.problem}"


def _write_row(row: CorpusFigures) -> str:
    counts = (row.buses, row.branches, row.lines, row.transformers, row.islands)
    places = "" if row.coordinates == "none" else row.coordinates
    cells = (row.title, row.format, *(f"{count:,}" for count in counts), places)
    return f"| {' | '.join(cells)} | {row.processor_seconds:.1f} | {row.peak_mb:,} |"
