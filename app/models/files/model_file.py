"""A model as one file: safetensors with the manifest in its metadata."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field
from safetensors import SafetensorError
from safetensors.numpy import load, save
from sqlalchemy.orm import Session

from app.errors import StoredDataDamaged
from app.graphs.service import get_graph
from app.http.json_body import BodyIn
from app.models.predictions import unpack_probabilities
from app.models.service import get_model, get_prediction, load_weights
from ml.artifact.artifact import FORMAT

ENVELOPE = "levygrid"
"""Under this name the metadata of a file hold what is not an array."""
PREDICTIONS = "predictions"
"""The array of what the model says of every bus, beside its own arrays."""
_LONGEST = 200_000
Text = Field(max_length=200)


class CurvesIn(BodyIn):
    """What was measured at each epoch of its training."""

    epoch: list[int] = Field([], max_length=100_000)
    train_loss: list[float | None] = Field([], max_length=100_000)
    validation_loss: list[float | None] = Field([], max_length=100_000)
    train_accuracy: list[float | None] = Field([], max_length=100_000)
    validation_accuracy: list[float | None] = Field([], max_length=100_000)


class SplitRequestIn(BodyIn):
    """How its split was drawn."""

    kind: Literal["stratified", "random"]
    seed: int = Field(ge=0, lt=2**32)
    fractions: list[float] = Field(min_length=3, max_length=3)


class SplitPositionsIn(BodyIn):
    """Which buses it was trained, validated and tested on."""

    hash: str = Text
    train: list[int] = Field(max_length=_LONGEST)
    validation: list[int] = Field(max_length=_LONGEST)
    test: list[int] = Field(max_length=_LONGEST)


class ScalingIn(BodyIn):
    """What is done to the columns before a network sees them."""

    offset: list[float]
    scale: list[float]
    curves: list[Annotated[list[list[float]], Field(min_length=2, max_length=2)]]
    presence: bool = False


class ManifestIn(BodyIn):
    """What the arrays mean and what they were made of."""

    format: Literal["levygrid-model-1"] = FORMAT
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
    sha256: str = Text


class GridIn(BodyIn):
    """The grid it is for."""

    content_hash: str = Field(pattern="^[0-9a-f]{64}$")
    name: str = Text


class EnvelopeIn(BodyIn):
    """Everything of a model that is not an array."""

    model_id: str = Field(pattern="^[0-9a-f]{32}$", description="What it was called there.")
    created_at: str = Field(max_length=40)
    label: str = Field(min_length=1, max_length=100)
    grid: GridIn
    manifest: ManifestIn
    curves: CurvesIn = CurvesIn()


def write_model_file(session: Session, model_id: str) -> bytes:
    """Return a model as one file. Raises: ModelNotFound, StoredDataDamaged."""
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


def _pick(values: dict[str, Any], kind: type[BodyIn]) -> dict[str, Any]:
    return {name: values[name] for name in kind.model_fields if name in values}
