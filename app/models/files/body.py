"""The body of POST /models/import: a form with one file."""

from typing import Annotated, Any

from fastapi import Depends, Request

from app.errors import MediaTypeUnsupported, ModelRejected
from app.http.form_body import FORM, is_form, read_form
from ml.errors import Fault

SAFETENSORS = "application/octet-stream"
_FIELD = "file"


async def _read_model_file(request: Request) -> bytes:
    if not is_form(request):
        raise MediaTypeUnsupported(f"Send the file in the field `{_FIELD}` of a {FORM} form.")
    form = await read_form(request, (), (_FIELD,))
    if _FIELD not in form.files:
        raise ModelRejected("The form contains no file.", [Fault(_FIELD, "is missing")])
    return form.files[_FIELD]


ModelFile = Annotated[bytes, Depends(_read_model_file)]


def describe_body() -> dict[str, Any]:
    """Return the OpenAPI description of the body of POST /models/import."""
    file = {
        "type": "string",
        "contentMediaType": SAFETENSORS,
        "description": "A file written by `GET /models/{model_id}/download`.",
    }
    schema = {"type": "object", "required": [_FIELD], "properties": {_FIELD: file}}
    return {"requestBody": {"required": True, "content": {FORM: {"schema": schema}}}}
