"""What every error means to a client: one table from error to RFC 9457 problem."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from sqlalchemy import exc as database

from app import errors
from ml import errors as ml_errors
from ml.errors import Fault

_MOST_FAULTS = 1000
TYPE_PREFIX = "/problems/"
# What pydantic says in the words of Python, by its type of error.
_OBJECT = "Input should be a JSON object"
_JSON_WORDS = {
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "list_type": "Input should be a JSON array",
}


class ProblemKind(NamedTuple):
    """How one class of error looks to a client; ``detail`` replaces the error's own words."""

    status: HTTPStatus
    slug: str
    title: str
    detail: str | None = None


_S = HTTPStatus
_INTERNAL = ProblemKind(
    _S.INTERNAL_SERVER_ERROR,
    "internal-error",
    "The service failed",
    "The request id finds the reason in the log of the service.",
)
_DATABASE_AWAY = ProblemKind(
    _S.SERVICE_UNAVAILABLE,
    "database-unusable",
    "The database cannot be used",
    "The database does not answer; try again.",
)
PROBLEMS: dict[type[Exception], ProblemKind] = {
    errors.LevygridError: _INTERNAL,
    errors.NotFound: ProblemKind(_S.NOT_FOUND, "not-found", "Not found"),
    errors.GraphNotFound: ProblemKind(_S.NOT_FOUND, "graph-not-found", "No such grid"),
    errors.BusNotFound: ProblemKind(_S.NOT_FOUND, "bus-not-found", "No such bus"),
    errors.LabelNotFound: ProblemKind(_S.NOT_FOUND, "label-not-found", "No such labels"),
    errors.JobNotFound: ProblemKind(_S.NOT_FOUND, "job-not-found", "No such job"),
    errors.ModelNotFound: ProblemKind(_S.NOT_FOUND, "model-not-found", "No such model"),
    errors.SweepNotFound: ProblemKind(_S.NOT_FOUND, "sweep-not-found", "No such sweep"),
    errors.BaselineNotFound: ProblemKind(_S.NOT_FOUND, "baseline-not-found", "No such baseline"),
    errors.Conflict: ProblemKind(_S.CONFLICT, "conflict", "Not possible now"),
    errors.NoModelYet: ProblemKind(_S.CONFLICT, "no-model-yet", "No model yet"),
    errors.GraphInUse: ProblemKind(_S.CONFLICT, "graph-in-use", "The grid is in use"),
    errors.ModelInUse: ProblemKind(_S.CONFLICT, "model-in-use", "The model is in use"),
    errors.BaselineNotKept: ProblemKind(
        _S.CONFLICT, "baseline-not-kept", "The baseline was not kept"
    ),
    errors.ModelsNotComparable: ProblemKind(
        _S.CONFLICT, "models-not-comparable", "The models cannot be compared"
    ),
    errors.JobNotCancellable: ProblemKind(_S.CONFLICT, "job-ended", "The job has ended"),
    errors.SweepNotCancellable: ProblemKind(_S.CONFLICT, "sweep-ended", "The sweep has ended"),
    errors.LabelExists: ProblemKind(_S.CONFLICT, "label-exists", "The name is taken"),
    errors.LeaseLost: ProblemKind(_S.CONFLICT, "lease-lost", "Another worker has the job"),
    errors.Rejected: ProblemKind(_S.UNPROCESSABLE_ENTITY, "rejected", "The request breaks rules"),
    errors.MalformedBody: ProblemKind(_S.BAD_REQUEST, "malformed-body", "The body cannot be read"),
    errors.GridRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "grid-rejected", "The grid has errors"
    ),
    errors.LabelsRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "labels-rejected", "The labels have errors"
    ),
    errors.TrainingRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "training-rejected", "This cannot be trained"
    ),
    errors.IdempotencyKeyReused: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "idempotency-key-reused", "The key was used before"
    ),
    errors.ModelRejected: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "model-rejected", "The model has errors"
    ),
    errors.BodyTooLarge: ProblemKind(
        _S.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "The body is too large"
    ),
    errors.MediaTypeUnsupported: ProblemKind(
        _S.UNSUPPORTED_MEDIA_TYPE, "media-type-unsupported", "The body is of the wrong type"
    ),
    errors.AddressInvalid: ProblemKind(
        _S.BAD_REQUEST, "address-invalid", "The address has characters that mean nothing"
    ),
    errors.CaseUnreadable: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "case-unreadable", "The case could not be read"
    ),
    errors.TooManyUploads: ProblemKind(
        _S.TOO_MANY_REQUESTS, "too-many-uploads", "Too many files at once"
    ),
    errors.TooManyMeasurements: ProblemKind(
        _S.TOO_MANY_REQUESTS, "too-many-measurements", "Too many labels are being measured"
    ),
    errors.ReaderNotStarted: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "reader-not-started", "The file cannot be read now"
    ),
    errors.TooManyStreams: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "too-many-streams", "Too many streams at once"
    ),
    errors.CursorInvalid: ProblemKind(_S.BAD_REQUEST, "cursor-invalid", "Unknown cursor"),
    errors.StoredDataDamaged: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "stored-data-damaged", "Stored data are damaged"
    ),
    errors.JobFailed: ProblemKind(_S.INTERNAL_SERVER_ERROR, "job-failed", "The job failed"),
    errors.WorkerLost: ProblemKind(_S.INTERNAL_SERVER_ERROR, "lost-worker", "The worker was lost"),
    errors.TrainerCrashed: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "trainer-crashed", "The training process crashed"
    ),
    errors.OutOfMemory: ProblemKind(_S.INSUFFICIENT_STORAGE, "out-of-memory", "Out of memory"),
    errors.TimeLimitReached: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "time-limit", "The time limit was reached"
    ),
    errors.StartFailed: ProblemKind(_S.SERVICE_UNAVAILABLE, "not-started", "Not ready"),
    errors.AlreadyRunning: ProblemKind(_S.SERVICE_UNAVAILABLE, "already-running", "Not ready"),
    errors.PortTaken: ProblemKind(_S.SERVICE_UNAVAILABLE, "port-taken", "Not ready"),
    errors.FolderUnwritable: ProblemKind(_S.SERVICE_UNAVAILABLE, "folder-unwritable", "Not ready"),
    errors.DatabaseUnusable: ProblemKind(
        _S.SERVICE_UNAVAILABLE, "database-unusable", "The database cannot be used"
    ),
    ml_errors.MlError: _INTERNAL,
    ml_errors.InvalidInput: ProblemKind(_S.UNPROCESSABLE_ENTITY, "invalid-input", "Invalid input"),
    ml_errors.InvalidGraph: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "invalid-graph", "The grid cannot be learnt from"
    ),
    ml_errors.InvalidHyperparameter: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "invalid-config", "A setting is outside its domain"
    ),
    ml_errors.InvalidSplit: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "bad-labels", "The labels cannot be split"
    ),
    ml_errors.ToleranceNotReached: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "tolerance-not-reached", "The accuracy asked for is out of reach"
    ),
    ml_errors.TrainingDiverged: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "diverged", "The training diverged"
    ),
    ml_errors.TrainingInterrupted: ProblemKind(
        _S.CONFLICT, "interrupted", "The training was interrupted"
    ),
    ml_errors.ArtifactRejected: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "model-damaged", "The stored model is damaged"
    ),
    ml_errors.CheckpointRejected: ProblemKind(
        _S.INTERNAL_SERVER_ERROR, "checkpoint-rejected", "The checkpoint is of another run"
    ),
    ml_errors.DeviceUnavailable: ProblemKind(
        _S.UNPROCESSABLE_ENTITY, "device-unavailable", "The device is not present"
    ),
    ml_errors.DatasetUnavailable: ProblemKind(
        _S.NOT_FOUND, "dataset-unavailable", "The data set is not present"
    ),
    RequestValidationError: ProblemKind(
        _S.UNPROCESSABLE_ENTITY,
        "invalid-request",
        "The request breaks rules",
        "Some values are not what this address takes.",
    ),
    database.IntegrityError: ProblemKind(
        _S.CONFLICT,
        "state-changed",
        "Not possible now",
        "Something this request depends on was changed or deleted meanwhile.",
    ),
    database.InterfaceError: _DATABASE_AWAY,
    database.OperationalError: _DATABASE_AWAY,
    database.TimeoutError: ProblemKind(
        _S.SERVICE_UNAVAILABLE,
        "overloaded",
        "Too busy",
        "All connections to the database are in use; try again.",
    ),
    Exception: _INTERNAL,
}


def describe_failure(error: Exception) -> dict[str, Any]:
    """Return the problem body of an error without a request: what a failed job stores."""
    kind = _find_kind(error)
    faults = _list_faults(error)
    body: dict[str, Any] = {
        "type": f"{TYPE_PREFIX}{kind.slug}",
        "title": kind.title,
        "status": int(kind.status),
        "detail": str(error) if kind.detail is None else kind.detail,
    }
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
        words = _JSON_WORDS.get(entry.get("type", ""), str(entry["msg"]))
        yield Fault(place.removeprefix("."), words)
