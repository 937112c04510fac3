"""Body of POST /graphs: JSON, or a multipart form with a file."""

from typing import Annotated, Any

from fastapi import Depends, Request

from app.errors import GridRejected, MediaTypeUnsupported
from app.graphs.schemas import describe_json
from app.http.form_body import FORM, Form, is_form, read_form
from app.http.json_body import read_json_bytes
from app.ingest.build.weights import WEIGHT_CHOICES
from app.ingest.formats import FORMATS
from app.ingest.protocol import ReadOptions
from app.ingest.upload import Upload, list_upload_faults
from ml.errors import Fault

_OPTIONS = ("weight", "name", "check", "columns", "coordinates")
_TEXTS = ("format", *_OPTIONS)
_FILES = ("file", "buses")


async def _read_grid_body(request: Request) -> bytes | Upload:
    if not is_form(request):
        try:
            return await read_json_bytes(request)
        except MediaTypeUnsupported as error:
            raise MediaTypeUnsupported(f"Send application/json or {FORM}.") from error
    form = await read_form(request, _TEXTS, _FILES, _list_faults)
    if "file" not in form.files:
        raise GridRejected("The form has no file.", _list_faults(form))
    return _make_upload(form)


def _list_faults(form: Form) -> list[Fault]:
    missing = [] if "file" in form.files else [Fault("file", "is missing")]
    return [*missing, *list_upload_faults(_make_upload(form))]


def _make_upload(form: Form) -> Upload:
    return Upload(
        content=form.files.get("file", b""),
        format=form.texts.get("format") or None,
        buses=form.files.get("buses"),
        options=ReadOptions(**{name: form.texts.get(name) or None for name in _OPTIONS}),
        file_name=form.file_names.get("file", ""),
    )


GridBody = Annotated[bytes | Upload, Depends(_read_grid_body)]
"""A JSON body as bytes, or an uploaded file."""


def describe_body() -> dict[str, Any]:
    """Return the OpenAPI description of the body of POST /graphs."""
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    fields = {
        "file": file | {"description": "The file with the grid, or a zip archive of its files."},
        "buses": file | {"description": "A second file with the buses; CSV and GridKit only."},
        "format": {"enum": list(FORMATS), "description": "Default: recognised by content."},
        "weight": {
            "enum": ["given", *WEIGHT_CHOICES],
            "description": "Weight of a branch; `given` only for CSV, GraphML and JSON.",
        },
        "name": {"type": "string", "maxLength": 200, "description": "Default: that of the file."},
        "columns": {
            "enum": ["topology"],
            "description": "Add clustering, betweenness and distance to generation.",
        },
        "coordinates": {
            "type": "string",
            "description": "How x and y of the buses are read: `geographic` (longitude and "
            "latitude), `schematic` (a drawing), or a reference system such as `EPSG:25832`, "
            "from which they are converted. Default: detected.",
            "examples": ["EPSG:25832"],
        },
        "check": {
            "enum": ["power_flow"],
            "description": "Check whether the voltages of the file solve its power flow.",
        },
    }
    schema = {"type": "object", "required": ["file"], "properties": fields}
    content = describe_json() | {FORM: {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}
