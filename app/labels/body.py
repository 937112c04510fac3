"""Body of POST /graphs/{id}/labels: JSON, or a form with a CSV or JSON file."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool

from app.errors import BodyTooLarge, LabelsRejected
from app.http.form_body import FORM, Form, is_form, read_form
from app.http.json_body import BodyIn, read_json_bytes
from app.http.strict_json import parse_json
from app.labels.files.header import BusKey
from app.labels.files.placement import MOST_METRES, WITHIN_METRES, FileChoice
from app.labels.files.table import LabelTable, read_label_table
from app.labels.text_labels import TEXT_RULES, TextChoice, TextRule
from ml.errors import Fault

_MOST_BYTES = 8 * 2**20


class LabelsIn(BodyIn):
    """A kind of the catalogue, a column of the grid, or own labels by bus id or alias."""

    kind: str | None = Field(None, max_length=100, examples=["voltage_class"])
    name: str | None = Field(None, max_length=100, examples=["owner"])
    labels: dict[str, str | int | None] | None = Field(
        None, examples=[{"1": "north", "2": "south"}]
    )
    column: str | None = Field(
        None,
        max_length=100,
        description="A column of the buses: a text column (`report.text_columns` of the grid lists "
        "them), or a numeric one, whose values become classes.",
        examples=["operator"],
    )
    rules: list[TextRule] | None = Field(
        None,
        max_length=3,
        description="Spellings of a text column that are one class. `case`: upper and lower case "
        "are the same; `spaces`: so are blanks and underscores; `lists`: of a;b the first value "
        "counts. Default: all three.",
    )
    smallest: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Values of a text column on fewer buses than this become the class `other`.",
        examples=[5],
    )
    hides: list[str] | None = Field(
        None,
        max_length=100,
        description="Numeric columns that give your own labels away: no model of these labels "
        "is trained on them. Kinds of the catalogue and columns hide what they are made of.",
        examples=[["base_kv"]],
    )


class LabelFileIn(BodyIn):
    """The fields of a form with a file of labels."""

    name: str = Field("", max_length=100, description="Name of the label set.", examples=["owner"])
    by: BusKey | None = Field(
        None,
        description="What names the buses: `bus` (id or alias), `name` or `coordinates`. Default: "
        "the first of these that the file has, row by row.",
    )
    label_column: str | None = Field(
        None,
        max_length=100,
        description="Column of the classes, for a file with several candidates.",
        examples=["zone"],
    )
    unknown: Literal["reject", "skip"] = Field(
        "reject",
        description="Rows without a bus of this grid: `reject` stores nothing and lists them all "
        "by line, `skip` leaves them out and lists them in the report.",
    )
    ambiguous: Literal["reject", "skip", "all"] = Field(
        "reject",
        description="Rows whose name or place several buses share: as for `unknown`; `all` labels "
        "all these buses.",
    )
    within_metres: float = Field(
        WITHIN_METRES,
        gt=0,
        le=MOST_METRES,
        description="Largest distance between the coordinates of a row and the nearest bus.",
    )
    hides: str | None = Field(
        None,
        max_length=1000,
        description="Numeric columns that give the labels away, separated by commas.",
        examples=["base_kv"],
    )


@dataclass(frozen=True, eq=False)
class LabelFile:
    """An uploaded label file and how its rows are placed."""

    table: LabelTable
    choice: FileChoice


@dataclass(frozen=True, eq=False)
class LabelsAsked:
    """A requested label set: a kind, a text column, a file, or a name with bus and class pairs."""

    kind: str | None
    name: str
    pairs: list[tuple[str, str]]
    text: TextChoice | None = None
    file: LabelFile | None = None
    hides: tuple[str, ...] = ()


async def _read_labels_body(request: Request) -> LabelsAsked:
    if is_form(request):
        form = await read_form(request, tuple(LabelFileIn.model_fields), ("file",))
        if "file" not in form.files:
            raise LabelsRejected("The form has no file.", [Fault("file", "is missing")])
        if len(form.files["file"]) > _MOST_BYTES:
            raise BodyTooLarge(f"A file of labels may have at most {_MOST_BYTES:,} bytes.")
        return await run_in_threadpool(_read_form, form)
    body = await read_json_bytes(request, _MOST_BYTES)
    return await run_in_threadpool(_read_json, body)


def _read_form(form: Form) -> LabelsAsked:
    given = {name: text for name, text in form.texts.items() if text or name == "name"}
    try:
        read = LabelFileIn.model_validate(given, strict=False)
    except ValidationError as error:
        raise _refuse(error) from error
    choice = FileChoice(**read.model_dump(exclude={"name", "hides"}))
    table = read_label_table(form.files["file"], choice.by, choice.label_column)
    hides = tuple(name.strip() for name in (read.hides or "").split(",") if name.strip())
    return LabelsAsked(None, read.name, [], file=LabelFile(table, choice), hides=hides)


def _read_json(body: bytes) -> LabelsAsked:
    try:
        read = LabelsIn.model_validate(parse_json(body))
    except ValidationError as error:
        raise _refuse(error) from error
    if sum(part is not None for part in (read.kind, read.labels, read.column)) != 1:
        fault = Fault("body", "needs exactly one of kind, labels and column")
        raise LabelsRejected("Provide `kind`, `labels` or `column`.", [fault])
    alone = {"rules": "column", "smallest": "column", "hides": "labels"}
    faults = [
        Fault(name, f"only applies to `{owner}`")
        for name, owner in alone.items()
        if getattr(read, name) is not None and getattr(read, owner) is None
    ]
    if faults:
        raise LabelsRejected("The labels have errors.", faults)
    if read.column is not None:
        return LabelsAsked(None, "", [], _make_choice(read))
    given = (read.labels or {}).items()
    pairs = [(bus, str(name)) for bus, name in given if name is not None]
    return LabelsAsked(read.kind, read.name or "", pairs, hides=tuple(read.hides or ()))


def _refuse(error: ValidationError) -> LabelsRejected:
    faults = [
        Fault(".".join(map(str, entry["loc"])) or "body", entry["msg"]) for entry in error.errors()
    ]
    return LabelsRejected("The labels have errors.", faults)


def _make_choice(read: LabelsIn) -> TextChoice:
    rules = TEXT_RULES if read.rules is None else tuple(read.rules)
    return TextChoice(read.column or "", read.name or "", rules, read.smallest or 1)


LabelsBody = Annotated[LabelsAsked, Depends(_read_labels_body)]


def describe_body() -> dict[str, Any]:
    """Return the OpenAPI description of the body."""
    file = {
        "type": "string",
        "contentMediaType": "text/csv",
        "description": "CSV with a header, or JSON: the bus (bus, bus_id, id), its name or its "
        "coordinates (lat, lon), and its class (label, class or the only other column). "
        "JSON: an object of classes by bus, or an array of objects.",
    }
    fields = LabelFileIn.model_json_schema()
    schema = fields | {
        "required": ["file", "name"],
        "properties": {"file": file, **fields["properties"]},
    }
    content = {
        "application/json": {"schema": LabelsIn.model_json_schema()},
        FORM: {"schema": schema},
    }
    return {"requestBody": {"required": True, "content": content}}
