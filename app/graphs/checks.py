"""Endpoint of /graphs/{id}/checks: a verdict on the grid model, as JSON or CSV."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Header, Path, Query, Response

from app.checks.registry import RULES
from app.checks.report import CheckReport, Finding
from app.graphs import service
from app.graphs.check_schemas import ChecksOut
from app.grid.listing import MOST_LISTED
from app.http.csv_text import Cell, write_csv
from app.http.responses import respond_columns
from app.storage.db import ReadingSession

router = APIRouter(prefix="/graphs/{graph_id}/checks", tags=["graphs"])

_CSV = "text/csv"
_JSON = "application/json"
_MOST_FINDINGS = 100

WithoutQuery = Annotated[
    list[Annotated[str, Query(max_length=2000)]] | None,
    Query(
        max_length=len(RULES),
        description=f"Rules to switch off, separated by commas. All rules: {', '.join(RULES)}.",
        examples=[["rating-missing,parallel-branches-equal"]],
    ),
]
FormQuery = Annotated[
    Literal["json", "csv"] | None,
    Query(description="Form of the answer. Default: by the header `Accept`, else JSON."),
]


@router.get(
    "",
    summary="Check the model of a grid",
    response_model=ChecksOut,
    responses={200: {"content": {_CSV: {"schema": {"type": "string"}}}}},
)
def check_graph(
    graph_id: Annotated[str, Path(max_length=64)],
    session: ReadingSession,
    without: WithoutQuery = None,
    limit: Annotated[
        int, Query(ge=1, le=_MOST_FINDINGS, description="Findings listed per rule.")
    ] = MOST_LISTED,
    form: FormQuery = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """Run all rules on a grid and list what looks wrong, with the reason and what to do about it.

    Every rule counts all its findings and lists the first of them, worst first. Rules without
    findings are left out; rules that need data which the grid does not have are in `skipped`.
    As CSV the answer has one row per listed finding.
    """
    names = [name.strip() for part in without or () for name in part.split(",") if name.strip()]
    report = service.check_stored(session, graph_id, names, limit)
    if (form or _choose_form(accept)) == "csv":
        headers = {"Content-Disposition": 'attachment; filename="checks.csv"', "Vary": "Accept"}
        text = write_csv(_lay_out(report))
        return Response(text, media_type=f"{_CSV}; charset=utf-8", headers=headers)
    response = respond_columns(msgspec.to_builtins(report) | {"graph_id": graph_id})
    response.headers["Vary"] = "Accept"
    return response


def _choose_form(accept: str) -> Literal["json", "csv"]:
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    return "csv" if _CSV in kinds and _JSON not in kinds else "json"


def _lay_out(report: CheckReport) -> dict[str, list[Cell]]:
    rows = [(result, finding) for result in report.results for finding in result.findings]
    return {
        "severity": [result.severity for result, _ in rows],
        "rule": [result.rule for result, _ in rows],
        "message": [finding.message for _, finding in rows],
        "elements": ["; ".join(_name_elements(finding)) for _, finding in rows],
        "element_count": [finding.element_count for _, finding in rows],
        "findings_of_rule": [result.count for result, _ in rows],
        "numbers": [msgspec.json.encode(finding.numbers).decode() for _, finding in rows],
        "why": [result.why for result, _ in rows],
        "fix": [result.fix for result, _ in rows],
    }


def _name_elements(finding: Finding) -> Iterator[str]:
    yield from finding.buses
    for branch in finding.branches:
        yield f"{branch.source} - {branch.target} (row {branch.row})"
