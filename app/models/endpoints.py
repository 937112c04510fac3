"""GET /models, /models/{id} and what can be done with one, POST /models/import."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response, status
from sqlalchemy.orm import Session

from app.http.json_body import StrictJsonRoute
from app.jobs.schemas import JobAcceptedOut
from app.jobs.submission import Accepted, SubmissionDep
from app.models import service
from app.models.active import find_standing
from app.models.baselines import promote as baselines
from app.models.card.schema import CardOut
from app.models.comparison import pairing
from app.models.comparison.schema import ModelComparisonOut
from app.models.files.body import SAFETENSORS, ModelFile, describe_body
from app.models.files.importing import read_model_file, store_import
from app.models.files.model_file import write_model_file
from app.models.schemas import NO_REASON, ModelDetailOut, ModelOut, ModelPage, PromoteIn
from app.replays.service import enqueue_replay
from app.storage.db import DatabaseDep, ReadingSession, WritingSession
from app.storage.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/models", tags=["models"], route_class=StrictJsonRoute)

ModelId = Annotated[str, Path(max_length=64)]


@router.get("")
def list_models(
    session: ReadingSession,
    limit: LimitQuery,
    cursor: CursorQuery = None,
    graph_id: Annotated[str | None, Query(max_length=64)] = None,
    label: Annotated[str | None, Query(max_length=100)] = None,
) -> ModelPage:
    """List models, newest first."""
    rows, next_cursor = service.list_models(session, graph_id, label, limit, cursor)
    active = service.find_active_ids(session, rows)
    items = [ModelOut.from_row(row, active=row.id in active) for row in rows]
    return ModelPage(items=items, next_cursor=next_cursor)


@router.post(
    "/import",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": ModelDetailOut, "description": "This model was already stored."}},
    openapi_extra=describe_body(),
)
def import_model(content: ModelFile, database: DatabaseDep, response: Response) -> ModelDetailOut:
    """Store a model that `download` has written, here or elsewhere, for a grid known here.

    It is measured anew with the labels of that grid, and answers by default only where no
    other model does; `promote` makes it.
    """
    with database.reading() as session:
        model = read_model_file(session, content)
    with database.writing() as session:
        row, is_new = store_import(session, model)
        standing = find_standing(session, row.id)
    response.headers["Location"] = f"/models/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return ModelDetailOut.from_model(row, standing)


@router.get(
    "/{model_id}/download",
    response_class=Response,
    responses={200: {"content": {SAFETENSORS: {}}, "description": "One safetensors file."}},
)
def download_model(model_id: ModelId, session: ReadingSession) -> Response:
    """Send a model as one safetensors file, its manifest in the metadata."""
    name = f"levygrid-{model_id}.safetensors"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(write_model_file(session, model_id), 200, disposition, SAFETENSORS)


@router.get("/{model_id}")
def get_model(model_id: ModelId, session: ReadingSession) -> ModelDetailOut:
    """Show a model: how good it is, what it was trained on and how."""
    row = service.get_model(session, model_id)
    return ModelDetailOut.from_model(row, find_standing(session, model_id))


@router.get("/{model_id}/card")
def get_card(model_id: ModelId, session: ReadingSession) -> CardOut:
    """Show the model card; its first line says whether a simpler method does better.

    The same for reading is at `/models/{model_id}/card.html`.
    """
    return CardOut.model_validate(service.make_card(session, model_id))


@router.get("/{model_id}/compare")
def compare_models(
    model_id: ModelId,
    session: ReadingSession,
    other_id: Annotated[str, Query(alias="with", max_length=64, description="The other model.")],
) -> ModelComparisonOut:
    """Set a model beside another of the same grid and label: settings, figures, buses.

    On the test buses of both, an exact paired test says whether the difference may be chance.
    """
    return ModelComparisonOut.model_validate(pairing.compare_models(session, model_id, other_id))


@router.post("/{model_id}/promote")
def promote_model(
    model_id: ModelId, session: WritingSession, body: PromoteIn | None = None
) -> ModelDetailOut:
    """Let a model answer for its grid and label from now on; the reason stays on its card."""
    row = service.promote_model(session, model_id, _read_reason(body))
    return ModelDetailOut.from_model(row, find_standing(session, model_id))


@router.post(
    "/{model_id}/baselines/{key}/promote",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": ModelDetailOut, "description": "It already was a model."}},
)
def promote_baseline(
    model_id: ModelId,
    key: Annotated[str, Path(max_length=32, description="`key` of a baseline on the card.")],
    session: WritingSession,
    response: Response,
    body: PromoteIn | None = None,
) -> ModelDetailOut:
    """Store a baseline of a model as a model of its own and let it answer from now on.

    It is the very baseline whose figures are on the card: nothing is trained again.
    """
    row, is_new = baselines.promote_baseline(session, model_id, key, _read_reason(body))
    response.headers["Location"] = f"/models/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return ModelDetailOut.from_model(row, find_standing(session, row.id))


@router.post("/{model_id}/replay", status_code=status.HTTP_202_ACCEPTED)
def replay_model(model_id: ModelId, submission: SubmissionDep) -> JobAcceptedOut:
    """Queue a job that makes a model again from its manifest and compares the logits.

    The answer, equal or which hash differs, is the result of the job and stays on the card.
    """

    def make(session: Session) -> Accepted:
        return Accepted.one_job(enqueue_replay(session, model_id, submission.request_id))

    return JobAcceptedOut(**submission.submit(None, make))


@router.delete("/{model_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_model(model_id: ModelId, session: WritingSession) -> None:
    """Delete a model with its predictions; not one that is active or that others refer to."""
    service.delete_model(session, model_id)


def _read_reason(body: PromoteIn | None) -> str:
    return NO_REASON if body is None else body.reason
