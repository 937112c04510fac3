"""The table that maps every error class to an RFC 9457 problem."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from sqlalchemy import exc as database

from app import errors
from app.errors import ProblemBody
from ml import errors as ml_errors
from ml.errors import Fault

_MOST_FAULTS = 1000
TYPE_PREFIX = "/problems/"
# Pydantic error type -> message in terms of JSON instead of Python.
_OBJECT = "Input should be a JSON object"
_JSON_MESSAGES = {
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "list_type": "Input should be a JSON array",
}


class ProblemKind(NamedTuple):
    """The HTTP form of one error class; ``detail``, if given, replaces the error's message."""

    status: HTTPStatus
    slug: str
    title: str
    detail: str | None = None


_S = HTTPStatus
_INTERNAL = ProblemKind(
    _S.INTERNAL_SERVER_ERROR,
    "internal-error",
    "Internal error",
    "The service failed. Its log has the reason under the request id.",
)
_DATABASE_AWAY = ProblemKind(
    _S.SERVICE_UNAVAILABLE,
    "database-unusable",
    "The database is not usable",
    "The database does not respond. Try again later.",
)
PROBLEMS: dict[type[Exception], ProblemKind] = {
    errors.LevygridError: _INTERNAL,
    errors.NotFound: ProblemKind(_S.NOT_FOUND, "not-found", "Not found"),
    errors.GraphNotFound: ProblemKind(_S.NOT_FOUND, "graph-not-found", "Grid not found"),
    errors.BusNotFound: ProblemKind(_S.NOT_FOUND, "bus-not-found", "Bus not found"),
    errors.LabelNotFound: ProblemKind(_S.NOT_FOUND, "label-not-found", "Label set not found"),
    errors.JobNotFound: ProblemKind(_S.NOT_FOUND, "job-not-found", "Job not found"),
    errors.ModelNotFound: ProblemKind(_S.NOT_FOUND, "model-not-found", "Model not found"),
    errors.SweepNotFound: ProblemKind(_S.NOT_FOUND, "sweep-not-found", "Sweep not found"),
    errors.BaselineNotFound: ProblemKind(_S.NOT_FOUND, "baseline-not-found", "Baseline not found"),
    errors.Conflict: ProblemKind(_S.CONFLICT, "conflict", "Not possible in the current state"),
    errors.NoModelYet: ProblemKind(_S.CONFLICT, "no-model-yet", "No model yet"),
    errors.GraphInUse: ProblemKind(_S.CONFLICT, "graph-in-use", "The grid is in use"),
    errors.NameTaken: ProblemKind(_S.CONFLICT, "name-taken", "Another grid has this name"),
    errors.LabelInUse: ProblemKind(_S.CONFLICT, "label-in-use", "The label set is in use"),
    errors.ModelInUse: ProblemKind(_S.CONFLICT, "model-in-use", "The model is in use"),
    errors.BaselineNotKept: ProblemKind(
        _S.CONFLICT, "baseline-not-kept", "The fitted baseline is not stored"
    ),
    errors.ModelsNotComparable: ProblemKind(
        _S.CONFLICT, "models-not-comparable", "The models cannot be compared"
    ),
    errors.JobNotCancellable: ProblemKind(_S.CONFLICT, "job-ended", "The job has ended"),
    errors.SweepNotCancellable: ProblemKind(_S.CONFLICT, "sweep-ended", "The sweep has ended"),
    errors.LabelExists: ProblemKind(_S.CONFLICT, "label-exists", "A label set of this name exists"),
    errors.LeaseLost: ProblemKind(_S.CONFLICT, "lease-lost", "Another worker holds the job"),
    errors.Rejected: ProblemKind(_S.UNPROCESSABLE_ENTITY, "rejected", "Invalid request"),
    errors.MalformedBody: ProblemKind(_S.BAD_REQUEST, "malformed-body", "The body cannot be read"),
    errors.GridRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "grid-rejected", "The grid has errors"
    ),
    errors.LabelsRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "labels-rejected", "The labels have errors"
    ),
    errors.TrainingRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "training-rejected", "Invalid training request"
    ),
    errors.IdempotencyKeyReused: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "idempotency-key-reused", "The idempotency key was used before"
    ),
    errors.ModelRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "model-rejected", "The model file has errors"
    ),
    errors.BodyTooLarge: ProblemKind(
        _S.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "The request body is too large"
    ),
    errors.MediaTypeUnsupported: ProblemKind(
        _S.UNSUPPORTED_MEDIA_TYPE, "media-type-unsupported", "Unsupported media type"
    ),
    errors.AddressInvalid: ProblemKind(
        _S.BAD_REQUEST, "address-invalid", "Invalid characters in the URL"
    ),
    errors.CaseUnreadable: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "case-unreadable", "The case could not be read"
    ),
    errors.TooManyUploads: ProblemKind(
        _S.TOO_MANY_REQUESTS, "too-many-uploads", "Too many uploads at the same time"
    ),
    errors.TooManyExports: ProblemKind(
        _S.TOO_MANY_REQUESTS, "too-many-exports", "Too many exports at the same time"
    ),
    errors.TooManyExplanations: ProblemKind(
        _S.TOO_MANY_REQUESTS, "too-many-explanations", "Too many explanations at the same time"
    ),
    errors.ReaderNotStarted: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "reader-not-started", "The file reader could not be started"
    ),
    errors.TooManyStreams: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "too-many-streams", "Too many open event streams"
    ),
    errors.CursorInvalid: ProblemKind(_S.BAD_REQUEST, "cursor-invalid", "Invalid cursor"),
    errors.StoredDataDamaged: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "stored-data-damaged", "Stored data are damaged"
    ),
    errors.JobFailed: ProblemKind(_S.INTERNAL_SERVER_ERROR, "job-failed", "The job failed"),
    errors.WorkerLost: ProblemKind(_S.INTERNAL_SERVER_ERROR, "lost-worker", "The worker was lost"),
    errors.TrainerCrashed: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "trainer-crashed", "The job process crashed"
    ),
    errors.OutOfMemory: ProblemKind(_S.INSUFFICIENT_STORAGE, "out-of-memory", "Out of memory"),
    errors.TimeLimitReached: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "time-limit", "Time limit exceeded"
    ),
    errors.StartFailed: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "not-started", "The service cannot start"
    ),
    errors.AlreadyRunning: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "already-running", "Already running"
    ),
    errors.PortTaken: ProblemKind(_S.SERVICE_UNAVAILABLE, "port-taken", "The port is in use"),
    errors.FolderUnwritable: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "folder-unwritable", "The data folder is not writable"
    ),
    errors.DatabaseUnusable: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "database-unusable", "The database is not usable"
    ),
    ml_errors.MlError: _INTERNAL,
    ml_errors.InvalidInput: ProblemKind(_S.UNPROCESSABLE_ENTITY, "invalid-input", "Invalid input"),
    ml_errors.InvalidGraph: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "invalid-graph", "The grid is not suitable for training"
    ),
    ml_errors.InvalidHyperparameter: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "invalid-config", "A setting is outside its range"
    ),
    ml_errors.InvalidSplit: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "bad-labels", "The labels cannot be split"
    ),
    ml_errors.ToleranceNotReached: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "tolerance-not-reached", "The requested accuracy cannot be reached"
    ),
    ml_errors.TrainingDiverged: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "diverged", "Training diverged"
    ),
    ml_errors.TrainingInterrupted: ProblemKind(
        _S.CONFLICT, "interrupted", "Training was interrupted"
    ),
    ml_errors.ArtifactRejected: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "model-damaged", "The stored model is damaged"
    ),
    ml_errors.CheckpointRejected: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "checkpoint-rejected", "The checkpoint belongs to another run"
    ),
    ml_errors.DeviceUnavailable: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "device-unavailable", "The device is not available"
    ),
    ml_errors.DatasetUnavailable: ProblemKind(
        _S.NOT_FOUND, "dataset-unavailable", "The data set is not available"
    ),
    RequestValidationError: ProblemKind(
        _S.UNPROCESSABLE_ENTITY,
        "invalid-request",
        "Invalid request",
        "Some parameters or fields are invalid; see `errors`.",
    ),
    database.IntegrityError: ProblemKind(
        _S.CONFLICT,
        "state-changed",
        "The state has changed",
        "A resource that this request depends on was changed or deleted in the meantime.",
    ),
    database.InterfaceError: _DATABASE_AWAY,
    database.OperationalError: _DATABASE_AWAY,
    database.TimeoutError: ProblemKind(
        _S.SERVICE_UNAVAILABLE,
        "overloaded",
        "The service is overloaded",
        "All database connections are in use. Try again later.",
    ),
    Exception: _INTERNAL,
}


def describe_failure(error: Exception) -> ProblemBody:
    """Return the problem body of an error, without the fields of a request."""
    kind = _find_kind(error)
    faults = _list_faults(error)
    body: ProblemBody = {
        "type": f"{TYPE_PREFIX}{kind.slug}",
        "title": kind.title,
        "status": int(kind.status),
        "detail": str(error) if kind.detail is None else kind.detail,
    }
    if isinstance(error, errors.NotFound) and error.suggestions:
        body["suggestions"] = list(error.suggestions)
    if faults:
        shown = faults[:_MOST_FAULTS]
        body["errors"] = [{"where": fault.where, "problem": fault.problem} for fault in shown]
        body["error_count"] = len(faults)
    return body


def _find_kind(error: Exception) -> ProblemKind:
    for kind in type(error).__mro__:
        if kind in PROBLEMS:
            return PROBLEMS[kind]
    return _INTERNAL


def _list_faults(error: Exception) -> tuple[Fault, ...]:
    if isinstance(error, errors.Rejected | ml_errors.InvalidInput):
        return error.faults
    if isinstance(error, RequestValidationError):
        return tuple(_translate(error.errors()))
    return ()


def _translate(entries: Iterable[dict[str, Any]]) -> Iterable[Fault]:
    for entry in entries:
        place = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in entry["loc"]
        )
        message = _JSON_MESSAGES.get(entry.get("type", ""), str(entry["msg"]))
        yield Fault(place.removeprefix("."), message)
