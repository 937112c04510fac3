"""POST /models/import and GET /models/{id}/download."""

from fastapi import APIRouter, Response, status

from app.http.json_body import StrictJsonRoute
from app.models.active import find_active_status
from app.models.files.body import SAFETENSORS, ModelFile, describe_body
from app.models.files.importing import read_model_file, store_import
from app.models.files.model_file import write_model_file
from app.models.schemas import ModelDetailOut, ModelId
from app.storage.db import DatabaseDep, ReadingSession

router = APIRouter(prefix="/models", tags=["models"], route_class=StrictJsonRoute)


@router.post(
    "/import",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": ModelDetailOut, "description": "This model was already stored."}},
    openapi_extra=describe_body(),
    summary="Import a model file",
    response_model_exclude_unset=True,
)
def import_model(content: ModelFile, database: DatabaseDep, response: Response) -> ModelDetailOut:
    """Stores a model from a file that `GET /models/{model_id}/download` of any service wrote.

    The grid of the model must already be stored here with identical content. The metrics are
    computed again from the labels stored here. The model becomes active only if its grid and
    label have no active model; otherwise use `POST /models/{model_id}/promote`.
    """
    with database.reading() as session:
        model = read_model_file(session, content)
    with database.writing() as session:
        row, is_new = store_import(session, model)
        active_status = find_active_status(session, row.id)
    response.headers["Location"] = f"/models/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return ModelDetailOut.from_model(row, active_status)


@router.get(
    "/{model_id}/download",
    response_class=Response,
    responses={200: {"content": {SAFETENSORS: {}}, "description": "One safetensors file."}},
    summary="Download a model file",
)
def download_model(model_id: ModelId, session: ReadingSession) -> Response:
    """Returns a model as one safetensors file with its manifest in the file metadata."""
    name = f"levygrid-{model_id}.safetensors"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(write_model_file(session, model_id), 200, disposition, SAFETENSORS)
