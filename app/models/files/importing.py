"""Imports a model file: checks it against the stored grid and labels, then stores the model."""

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
from app.graphs.service import find_by_hash, find_label_set, load_grid, to_ml_graph
from app.http.strict_json import parse_json
from app.models import repository
from app.models.choice import NOT_COMPARED, measure_choice
from app.models.files.import_rules import list_content_faults, list_prediction_faults
from app.models.files.model_file import ENVELOPE, PREDICTIONS, EnvelopeIn, ManifestIn
from app.models.files.tensor_file import TensorFile, read_tensor_file
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, describe_label, extend_manifest, store_model
from app.storage.documents import ManifestDocument, OriginDocument
from app.storage.tables import ModelRow
from ml.errors import Fault, InvalidInput

_TOLERANCE = 1e-3
"""Largest accepted difference between the predictions in the file and the recomputed ones."""
_MOST_WORK = 50_000_000
"""Size of all hidden layers up to which predictions are recomputed during the import."""
_MOST_DENSE = 2000
_MOST_WALKS = 1_000_000
"""Buses times trees up to which the predictions of a forest are recomputed."""


@dataclass(frozen=True, eq=False)
class _Target:
    """The stored grid and labels that the file refers to."""

    graph_id: str
    graph: ml.Graph
    split: ml.Split
    label: ManifestDocument
    label_version: int


def read_model_file(session: Session, content: bytes) -> NewModel:
    """Check a file completely and return the model in it.

    The metrics are computed again from the labels stored here.
    Raises: ModelRejected with every fault.
    """
    file = read_tensor_file(content)
    envelope = _read_envelope(file)
    arrays = dict(file.tensors)
    predictions = arrays.pop(PREDICTIONS, np.zeros((0, 0), np.float32))
    target, faults = _find_target(session, envelope)
    faults += _list_faults(envelope, arrays, predictions, target)
    artifact = ml.pack(arrays, _dump_manifest(envelope.manifest))
    if artifact.sha256 != envelope.manifest.sha256:
        faults.append(Fault("manifest.sha256", "does not match the arrays"))
    if target is None or faults:
        raise _reject(faults)
    origin: OriginDocument = {
        "kind": "import",
        "model_id": envelope.model_id,
        "created_at": envelope.created_at,
        "file_sha256": hashlib.sha256(content).hexdigest(),
        "predictions": _check_predictions(artifact, target.graph, predictions),
    }
    return _make_model(envelope, artifact, target, predictions, origin)


def store_import(session: Session, model: NewModel) -> tuple[ModelRow, bool]:
    """Store an imported model unless it is already stored; return whether it is new.

    It becomes active only if its grid and label have no active model. Raises: GraphNotFound.
    """
    # Locked before the query: the second of two simultaneous imports must find the first.
    repository.lock_graph(session, model.graph_id)
    digest = hashlib.sha256(model.weights).hexdigest()
    stored = repository.find_same(session, model.graph_id, model.label, digest)
    if stored is not None:
        return stored, False
    return store_model(session, model), True


def _reject(faults: list[Fault]) -> ModelRejected:
    return ModelRejected("The file is not a valid model file; nothing was stored.", faults)


def _dump_manifest(manifest: ManifestIn) -> dict[str, Any]:
    """Return the manifest as it was stored: without absent parts, but with the nulls in them."""
    dumped = manifest.model_dump(exclude={"sha256", "split_request"})
    if manifest.split_request is not None:
        dumped["split_request"] = manifest.split_request.model_dump(exclude_none=True)
    return {name: value for name, value in dumped.items() if value is not None}


def _list_faults(
    envelope: EnvelopeIn,
    arrays: dict[str, npt.NDArray[Any]],
    predictions: npt.NDArray[Any],
    target: _Target | None,
) -> list[Fault]:
    manifest = envelope.manifest
    rows = predictions.shape[0] if predictions.ndim else 0
    nodes = rows if target is None else target.graph.node_count
    sizes = ml.ModelSizes(nodes, len(manifest.feature_names), len(manifest.class_names))
    faults = list_content_faults(manifest, arrays, sizes)
    return [*faults, *list_prediction_faults(predictions, sizes)]


def _read_envelope(file: TensorFile) -> EnvelopeIn:
    if ENVELOPE not in file.texts:
        problem = f"has no entry {ENVELOPE!r}: the file was not written by GET /models/.../download"
        raise _reject([Fault("__metadata__", problem)])
    try:
        return EnvelopeIn.model_validate(parse_json(file.texts[ENVELOPE].encode()))
    except MalformedBody as error:
        raise _reject(
            [Fault(fault.where.replace("body", ENVELOPE), fault.problem) for fault in error.faults]
        ) from error
    except ValidationError as error:
        entries = error.errors(include_url=False, include_input=False)
        places = [".".join(map(str, entry["loc"])) for entry in entries]
        raise _reject(
            [Fault(where, entry["msg"]) for where, entry in zip(places, entries, strict=True)]
        ) from error


def _find_target(session: Session, envelope: EnvelopeIn) -> tuple[_Target | None, list[Fault]]:
    stored = find_by_hash(session, envelope.grid.content_hash)
    if stored is None:
        problem = (
            f"no stored grid has the content hash {envelope.grid.content_hash}; "
            f"send the grid {envelope.grid.name!r} to POST /graphs first"
        )
        return None, [Fault("grid.content_hash", problem)]
    label_set = find_label_set(session, stored.id, envelope.label)
    if label_set is None:
        return None, [Fault("label", f"the grid has no label set {envelope.label!r}")]
    manifest, grid = envelope.manifest, load_grid(session, stored.id)
    try:
        graph = to_ml_graph(grid, label_set, manifest.feature_names)
        positions = (getattr(manifest.split, part) for part in ("train", "validation", "test"))
        split = ml.Split(*(np.array(part, np.int64) for part in positions))
    except (TrainingRejected, InvalidInput) as error:
        return None, [Fault(f"manifest.{fault.where}", fault.problem) for fault in error.faults]
    faults = list(_hash_faults(envelope, graph, split))
    label = describe_label(grid, label_set, graph.feature_names)
    return _Target(stored.id, graph, split, label, label_set.version), faults


def _hash_faults(envelope: EnvelopeIn, graph: ml.Graph, split: ml.Split) -> Iterator[Fault]:
    manifest = envelope.manifest
    hashes = {
        "graph_hash": (manifest.graph_hash, graph.content_hash),
        "label_hash": (manifest.label_hash, graph.label_hash),
        "split.hash": (manifest.split.hash, split.content_hash),
    }
    for name, (in_file, here) in hashes.items():
        if in_file != here:
            yield Fault(f"manifest.{name}", f"is {in_file[:64]} in the file, but {here} here")
    if tuple(manifest.class_names) != graph.class_names:
        yield Fault(
            "manifest.class_names",
            f"the classes of the stored labels are {', '.join(graph.class_names)}",
        )
    nodes = np.concatenate([split.train, split.validation, split.test])
    if nodes.max(initial=0) >= graph.node_count:
        yield Fault("manifest.split", "contains a position beyond the last bus of the grid")
    elif (graph.labels[np.concatenate([split.train, split.validation])] < 0).any():
        yield Fault("manifest.split", "uses a bus without a label for training or validation")
    if len(split.train) == 0:
        yield Fault("manifest.split", "has no training bus")
    if len(split.validation) == 0 and manifest.selection is None:
        yield Fault("manifest.split", "has no validation bus")


def _check_predictions(
    artifact: ml.Artifact, graph: ml.Graph, predictions: npt.NDArray[Any]
) -> str:
    """Compare the predictions in the file with recomputed ones. Raises: ModelRejected."""
    is_choice = artifact.method == ml.AutoSettings.method
    if not is_choice and not _can_recompute(artifact, graph.node_count):
        return "taken from the file without recomputing them; a replay checks them"
    answers = ml.read_answers(artifact) if is_choice else ml.predict_probabilities(artifact, graph)
    difference = float(np.abs(answers - predictions).max())
    if not difference <= _TOLERANCE:
        problem = f"differ by up to {difference:.3g} from those computed from the arrays"
        raise _reject([Fault(PREDICTIONS, problem)])
    if is_choice:
        return "equal to the stored answers of the chosen model; a replay checks those"
    return f"equal to those computed from the arrays, within {_TOLERANCE:g}"


def _can_recompute(artifact: ml.Artifact, nodes: int) -> bool:
    method = ml.get_method(artifact.method)
    config = artifact.manifest["config"]
    if method.predict is None:
        return False
    if not method.is_network:
        return nodes * int(config.get("trees", 1)) <= _MOST_WALKS
    settings = ml.flatten_settings(ml.make_config(**config))
    small = nodes * settings["width"] * settings["branches"] * settings["layers"] <= _MOST_WORK
    return small and (nodes <= _MOST_DENSE or settings["operator"] != "dense")


def _make_model(
    envelope: EnvelopeIn,
    artifact: ml.Artifact,
    target: _Target,
    predictions: npt.NDArray[Any],
    origin: OriginDocument,
) -> NewModel:
    graph, split = target.graph, target.split
    additions: ManifestDocument = {**target.label, "origin": origin}
    return NewModel(
        graph_id=target.graph_id,
        label=envelope.label,
        kind=artifact.method,
        class_names=graph.class_names,
        weights=artifact.weights,
        manifest=extend_manifest(artifact, additions),
        metrics=_measure(envelope, graph, split, predictions),
        curves=envelope.curves.model_dump() if envelope.curves.epoch else {},
        predictions=PackedPredictions.pack(predictions, split),
        baselines=None if envelope.manifest.selection is None else NOT_COMPARED,
        takes_over=False,
        label_version=target.label_version,
    )


def _measure(
    envelope: EnvelopeIn, graph: ml.Graph, split: ml.Split, predictions: npt.NDArray[Any]
) -> dict[str, ml.MetricsDocument]:
    if envelope.manifest.selection is not None:
        figures = measure_choice(graph, split, predictions)
    else:
        figures = {
            part: ml.evaluate(predictions, graph.labels, nodes)
            for part, nodes in ml.split_parts(split).items()
        }
    return {part: figure.as_dict() for part, figure in figures.items()}
