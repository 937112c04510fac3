"""Writes a model as one safetensors file with its manifest in the file metadata."""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field
from safetensors import SafetensorError
from safetensors.numpy import load, save
from sqlalchemy.orm import Session

from app.errors import StoredDataDamaged
from app.graphs.service import get_graph
from app.http.json_body import BodyIn
from app.jobs.schemas import CurvesOut
from app.models.files.selection_in import SelectionIn
from app.models.predictions import unpack_probabilities
from app.models.service import get_model, get_prediction, load_weights
from ml import FORMAT

ENVELOPE = "levygrid"
"""Name of the metadata entry with everything that is not an array."""
PREDICTIONS = "predictions"
"""Name of the array with the predicted probabilities of every bus."""
_LONGEST = 200_000
Text = Field(max_length=200)


class CurvesIn(CurvesOut, BodyIn):
    """Loss and accuracy per epoch; unknown columns are rejected."""


class SplitPositionsIn(BodyIn):
    """Positions of the training, validation and test buses."""

    hash: str = Text
    train: list[int] = Field(max_length=_LONGEST)
    validation: list[int] = Field(max_length=_LONGEST)
    test: list[int] = Field(max_length=_LONGEST)


class ScalingIn(BodyIn):
    """Scaling of the feature columns before a network uses them."""

    offset: list[float]
    scale: list[float]
    curves: list[Annotated[list[list[float]], Field(min_length=2, max_length=2)]]
    presence: bool = False


class SplitRequestIn(BodyIn):
    """How the split was drawn; cross-validation and lists of buses need neither of the rest."""

    kind: Literal["stratified", "random", "lists", "cross_validation"] = "stratified"
    seed: int | None = Field(None, ge=0, lt=2**32)
    fractions: list[Annotated[float, Field(gt=0, lt=1)]] | None = Field(
        None, min_length=3, max_length=3
    )


class ManifestIn(BodyIn):
    """Settings, names and hashes that belong to the arrays.

    Models of the automatic choice have the second format, and `selection`.
    """

    format: Literal["levygrid-model-1", "levygrid-model-2"] = FORMAT
    config: dict[str, str | int | float | bool | None]
    seed: int | None = None
    feature_names: list[str] = Field(max_length=10_000)
    class_names: list[str] = Field(min_length=1, max_length=10_000)
    scaling: ScalingIn | None = None
    graph_hash: str = Text
    label_hash: str = Text
    split: SplitPositionsIn
    device: str | None = Field(None, max_length=200)
    threads: int | None = Field(None, ge=1, le=4096)
    cpu: str | None = Field(None, max_length=200)
    versions: dict[str, str] = Field({}, max_length=50)
    best_epoch: int | None = Field(None, ge=1)
    split_request: SplitRequestIn | None = None
    selection: SelectionIn | None = None
    sha256: str = Text


class GridIn(BodyIn):
    """The grid that the model predicts."""

    content_hash: str = Field(pattern="^[0-9a-f]{64}$")
    name: str = Text


class EnvelopeIn(BodyIn):
    """Everything in the file that is not an array."""

    model_id: str = Field(
        pattern="^[0-9a-f]{32}$", description="Id of the model in the service that wrote the file."
    )
    created_at: str = Field(max_length=40)
    label: str = Field(min_length=1, max_length=100)
    grid: GridIn
    manifest: ManifestIn
    curves: CurvesIn = CurvesIn()


def write_model_file(session: Session, model_id: str) -> bytes:
    """Return a model as the content of a file. Raises: ModelNotFound, StoredDataDamaged."""
    row = get_model(session, model_id)
    graph = get_graph(session, row.graph_id)
    try:
        tensors = load(load_weights(session, model_id))
    except SafetensorError as error:
        raise StoredDataDamaged(f"The weights of model {model_id!r} cannot be read.") from error
    probabilities = get_prediction(session, model_id).probabilities
    tensors[PREDICTIONS] = unpack_probabilities(probabilities, len(row.class_names)).copy()
    envelope = {
        "model_id": row.id,
        "created_at": row.created_at.isoformat(),
        "label": row.label,
        "grid": {"content_hash": graph.content_hash, "name": graph.name},
        "manifest": _pick(row.manifest, ManifestIn),
        "curves": _pick(row.curves, CurvesIn),
    }
    return save(tensors, metadata={ENVELOPE: json.dumps(envelope)})


def _pick(values: Mapping[str, object], kind: type[BodyIn]) -> dict[str, object]:
    return {name: values[name] for name in kind.model_fields if name in values}
