"""A model from a file: checked against the grid it names, then stored like any other."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError
from sqlalchemy.orm import Session

import ml
from app.errors import MalformedBody, ModelRejected, TrainingRejected
from app.graphs.packing import read_label_row
from app.graphs.service import find_by_hash, get_detail, load_grid, to_ml_graph
from app.http.strict_json import parse_json
from app.models import repository
from app.models.files.import_rules import list_content_faults, list_prediction_faults
from app.models.files.model_file import ENVELOPE, PREDICTIONS, EnvelopeIn
from app.models.files.tensor_file import TensorFile, read_tensor_file
from app.models.service import NewModel, store_model
from app.storage.tables import ModelRow
from ml.errors import Fault, InvalidInput

_TOLERANCE = 1e-3
"""How far predictions may be from what the arrays give in float64."""
_MOST_WORK = 50_000_000
"""Numbers in the widest layer up to which the arrays are tried out on the spot."""
_MOST_DENSE = 2000
_MOST_WALKS = 1_000_000
"""Buses times trees up to which a forest is tried out on the spot."""


@dataclass(frozen=True, eq=False)
class _Target:
    """What the file is for, as this service knows it."""

    graph_id: str
    graph: ml.Graph
    split: ml.Split
    definition: str


def read_model_file(session: Session, content: bytes) -> NewModel:
    """Check a file down to the last number; return the model that it holds.

    Figures are measured anew, with the labels that are stored here.
    Raises: ModelRejected with every fault found.
    """
    file = read_tensor_file(content)
    envelope = _read_envelope(file)
    arrays = dict(file.tensors)
    predictions = arrays.pop(PREDICTIONS, np.zeros((0, 0), np.float32))
    target, faults = _find_target(session, envelope)
    faults += _list_faults(envelope, arrays, predictions, target)
    kept = envelope.manifest.model_dump(exclude_none=True, exclude={"sha256"})
    artifact = ml.pack(arrays, kept)
    if artifact.sha256 != envelope.manifest.sha256:
        faults.append(Fault("manifest.sha256", "is not that of the arrays"))
    if target is None or faults:
        raise _reject(faults)
    origin = {
        "kind": "import",
        "model_id": envelope.model_id,
        "created_at": envelope.created_at,
        "file_sha256": hashlib.sha256(content).hexdigest(),
        "predictions": _try_out(artifact, target.graph, predictions),
    }
    return _make_model(envelope, artifact, target, predictions, origin)


def store_import(session: Session, model: NewModel) -> tuple[ModelRow, bool]:
    """Store an imported model, once; say whether it is new.

    It answers by default only where no other model does. Raises: GraphNotFound.
    """
    # Locked before the look: of two equal imports at once the second must see the first.
    repository.lock_graph(session, model.graph_id)
    digest = hashlib.sha256(model.weights).hexdigest()
    known = repository.find_same(session, model.graph_id, model.label, digest)
    if known is not None:
        return known, False
    return store_model(session, model), True


def _reject(faults: list[Fault]) -> ModelRejected:
    return ModelRejected("The file is not an acceptable model; nothing was stored.", faults)


def _list_faults(
    envelope: EnvelopeIn,
    arrays: dict[str, npt.NDArray[Any]],
    predictions: npt.NDArray[Any],
    target: _Target | None,
) -> list[Fault]:
    manifest = envelope.manifest
    told = predictions.shape[0] if predictions.ndim else 0
    nodes = told if target is None else target.graph.node_count
    sizes = ml.ModelSizes(nodes, len(manifest.feature_names), len(manifest.class_names))
    faults = list_content_faults(manifest, arrays, sizes)
    return [*faults, *list_prediction_faults(predictions, sizes)]


def _read_envelope(file: TensorFile) -> EnvelopeIn:
    if ENVELOPE not in file.texts:
        problem = f"has no entry {ENVELOPE!r}; is this a file of GET /models/.../download?"
        raise _reject([Fault("__metadata__", problem)])
    try:
        return EnvelopeIn.model_validate(parse_json(file.texts[ENVELOPE].encode()))
    except MalformedBody as error:
        raise _reject(
            [Fault(each.where.replace("body", ENVELOPE), each.problem) for each in error.faults]
        ) from error
    except ValidationError as error:
        entries = error.errors(include_url=False, include_input=False)
        places = [".".join(map(str, entry["loc"])) for entry in entries]
        told = [Fault(where, entry["msg"]) for where, entry in zip(places, entries, strict=True)]
        raise _reject(told) from error


def _find_target(session: Session, envelope: EnvelopeIn) -> tuple[_Target | None, list[Fault]]:
    known = find_by_hash(session, envelope.grid.content_hash)
    if known is None:
        problem = (
            f"no grid with the content hash {envelope.grid.content_hash} is stored here; "
            f"send the grid {envelope.grid.name!r} to POST /graphs first"
        )
        return None, [Fault("grid.content_hash", problem)]
    rows = {row.name: row for row in get_detail(session, known.id).labels}
    if envelope.label not in rows:
        return None, [Fault("label", f"the grid has no labels {envelope.label!r}")]
    label_set = read_label_row(rows[envelope.label])
    manifest = envelope.manifest
    try:
        graph = to_ml_graph(load_grid(session, known.id), label_set, manifest.feature_names)
        positions = (getattr(manifest.split, part) for part in ("train", "validation", "test"))
        split = ml.Split(*(np.array(part, np.int64) for part in positions))
    except (TrainingRejected, InvalidInput) as error:
        return None, [Fault(f"manifest.{each.where}", each.problem) for each in error.faults]
    faults = list(_hash_faults(envelope, graph, split))
    return _Target(known.id, graph, split, label_set.definition), faults


def _hash_faults(envelope: EnvelopeIn, graph: ml.Graph, split: ml.Split) -> Iterator[Fault]:
    manifest = envelope.manifest
    hashes = {
        "graph_hash": (manifest.graph_hash, graph.content_hash),
        "label_hash": (manifest.label_hash, graph.label_hash),
        "split.hash": (manifest.split.hash, split.content_hash),
    }
    for name, (told, found) in hashes.items():
        if told != found:
            yield Fault(f"manifest.{name}", f"is {told[:64]}, here it is {found}")
    if tuple(manifest.class_names) != graph.class_names:
        yield Fault("manifest.class_names", f"the labels have {', '.join(graph.class_names)}")
    nodes = np.concatenate([split.train, split.validation, split.test])
    if nodes.max(initial=0) >= graph.node_count:
        yield Fault("manifest.split", "names a bus that the grid does not have")
    elif (graph.labels[np.concatenate([split.train, split.validation])] < 0).any():
        yield Fault("manifest.split", "trains or validates on a bus without a label")
    if len(split.validation) == 0:
        yield Fault("manifest.split", "has no bus to validate on")


def _try_out(artifact: ml.Artifact, graph: ml.Graph, predictions: npt.NDArray[Any]) -> str:
    """Compare the predictions of the file with what its arrays give. Raises: ModelRejected."""
    if not _can_try(artifact, graph.node_count):
        return "taken from the file as they are; a replay would prove them"
    gap = float(np.abs(ml.predict_probabilities(artifact, graph) - predictions).max())
    if not gap <= _TOLERANCE:
        problem = f"are not what the arrays give: they differ by up to {gap:.3g}"
        raise _reject([Fault(PREDICTIONS, problem)])
    return f"what the arrays give, within {_TOLERANCE:g}"


def _can_try(artifact: ml.Artifact, nodes: int) -> bool:
    method = ml.get_method(artifact.method)
    config = artifact.manifest["config"]
    if method.predict is None:
        return False
    if not method.is_network:
        return nodes * int(config.get("trees", 1)) <= _MOST_WALKS
    whole = ml.flatten_settings(ml.make_config(**config))
    small = nodes * whole["width"] * whole["branches"] * whole["layers"] <= _MOST_WORK
    return small and (nodes <= _MOST_DENSE or whole["operator"] != "dense")


def _make_model(
    envelope: EnvelopeIn,
    artifact: ml.Artifact,
    target: _Target,
    predictions: npt.NDArray[Any],
    origin: dict[str, Any],
) -> NewModel:
    graph, split = target.graph, target.split
    parts = {"train": split.train, "validation": split.validation, "test": split.test}
    told = {"label_definition": target.definition, "origin": origin}
    return NewModel(
        graph_id=target.graph_id,
        label=envelope.label,
        kind=artifact.method,
        class_names=graph.class_names,
        weights=artifact.weights,
        manifest=artifact.manifest | told,
        metrics={
            part: ml.evaluate(predictions, graph.labels, nodes).as_dict()
            for part, nodes in parts.items()
        },
        curves=envelope.curves.model_dump() if envelope.curves.epoch else {},
        probabilities=predictions,
        split=split,
        takes_over=False,
    )
