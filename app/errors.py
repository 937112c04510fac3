"""The errors of ``app``; ``app.http.problems`` maps each of them to an HTTP response.

LevygridError
├── NotFound: GraphNotFound BusNotFound LabelNotFound JobNotFound ModelNotFound
│             SweepNotFound BaselineNotFound
├── Conflict: NoModelYet GraphInUse NameTaken LabelInUse ModelInUse JobNotCancellable
│             LabelExists LeaseLost SweepNotCancellable BaselineNotKept ModelsNotComparable
├── Rejected (lists every fault): MalformedBody GridRejected LabelsRejected
│                                  TrainingRejected ModelRejected IdempotencyKeyReused
├── BodyTooLarge
├── MediaTypeUnsupported
├── AddressInvalid
├── CaseUnreadable
├── TooManyUploads
├── TooManyExports
├── TooManyExplanations
├── ReaderNotStarted
├── TooManyStreams
├── CursorInvalid
├── StoredDataDamaged
├── JobFailed: WorkerLost TrainerCrashed OutOfMemory TimeLimitReached
└── StartFailed: AlreadyRunning PortTaken FolderUnwritable DatabaseUnusable
"""

from collections.abc import Iterable
from typing import NotRequired, TypedDict

from ml.errors import Fault


class FaultBody(TypedDict):
    """One fault of a problem body."""

    where: str
    problem: str


class ProblemBody(TypedDict):
    """An error as JSON (RFC 9457): the body of an error response, stored with a failed job."""

    type: str
    title: str
    status: int
    detail: str
    suggestions: NotRequired[list[str]]
    errors: NotRequired[list[FaultBody]]
    error_count: NotRequired[int]
    instance: NotRequired[str]
    request_id: NotRequired[str]


class LevygridError(Exception):
    """Root of the tree; its message is shown to the client."""


class NotFound(LevygridError):
    """The named resource does not exist; ``suggestions`` are similar names that do."""

    def __init__(self, message: str, suggestions: Iterable[str] = ()) -> None:
        self.suggestions = tuple(suggestions)
        if self.suggestions:
            message = f"{message} Did you mean {' or '.join(map(repr, self.suggestions))}?"
        super().__init__(message)


class GraphNotFound(NotFound):
    """No grid has this id or name."""


class BusNotFound(NotFound):
    """The grid has no bus with this id or name."""


class LabelNotFound(NotFound):
    """The grid has no label set with this name."""


class JobNotFound(NotFound):
    """No job has this id."""


class ModelNotFound(NotFound):
    """No model has this id."""


class SweepNotFound(NotFound):
    """No sweep has this id."""


class BaselineNotFound(NotFound):
    """The model was not compared with a baseline of this name."""


class Conflict(LevygridError):
    """The request is valid, but the current state does not allow it."""


class NoModelYet(Conflict):
    """No trained model exists for this grid and label."""


class GraphInUse(Conflict):
    """A grid cannot be deleted while a job uses it."""


class NameTaken(Conflict):
    """Another grid has this name."""


class LabelInUse(Conflict):
    """A label set cannot be replaced or deleted while jobs or models use it."""


class ModelInUse(Conflict):
    """The active model cannot be deleted."""


class BaselineNotKept(Conflict):
    """Only the metrics of the baseline were stored, not its fitted model."""


class ModelsNotComparable(Conflict):
    """The two models belong to different grids or labels."""


class JobNotCancellable(Conflict):
    """The job has already ended."""


class SweepNotCancellable(Conflict):
    """Every job of the sweep has already ended."""


class LabelExists(Conflict):
    """The grid has a different label set of this name, and the request does not replace it."""


class LeaseLost(Conflict):
    """Another worker has claimed the job, or it has ended: this worker must not write to it."""


class Rejected(LevygridError):
    """The request is invalid; ``faults`` lists everything that is wrong."""

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__(message)


class MalformedBody(Rejected):
    """The request body cannot be parsed."""


class GridRejected(Rejected):
    """The grid has errors; nothing was stored."""


class LabelsRejected(Rejected):
    """The labels have errors; nothing was stored."""


class TrainingRejected(Rejected):
    """The training request is invalid."""


class ModelRejected(Rejected):
    """The model file has errors; nothing was stored."""


class IdempotencyKeyReused(Rejected):
    """The idempotency key was used before with a different request."""


class BodyTooLarge(LevygridError):
    """The request body is larger than the limit."""


class MediaTypeUnsupported(LevygridError):
    """The endpoint does not accept the content type of the request body."""


class AddressInvalid(LevygridError):
    """The path or query contains characters that are not allowed."""


class CaseUnreadable(LevygridError):
    """A built-in case could not be read in time."""


class TooManyExports(LevygridError):
    """Too many exports are being written at the same time."""


class TooManyExplanations(LevygridError):
    """More explanations are being computed and waiting than are allowed."""


class TooManyUploads(LevygridError):
    """The limit of files that are being read or waiting is reached."""


class ReaderNotStarted(LevygridError):
    """No process could be started to read a file: the machine lacks processes, files or memory."""


class TooManyStreams(LevygridError):
    """The limit of open event streams is reached."""


class CursorInvalid(LevygridError):
    """The cursor of a page is invalid."""


class StoredDataDamaged(LevygridError):
    """Stored data do not match their checksum."""


class JobFailed(LevygridError):
    """A job ended without a result; the reason is stored with the job."""


class WorkerLost(JobFailed):
    """The job lost its worker in every attempt."""


class TrainerCrashed(JobFailed):
    """The job process ended without reporting a result."""


class OutOfMemory(JobFailed):
    """The job process needs more memory than is available or allowed."""

    advice = "Use a smaller width or fewer parallel paths"


class TimeLimitReached(JobFailed):
    """The job process exceeded its time limit."""


class StartFailed(LevygridError):
    """The service cannot start."""


class AlreadyRunning(StartFailed):
    """Another service uses this data folder."""


class PortTaken(StartFailed):
    """Another program uses this port."""


class FolderUnwritable(StartFailed):
    """The data folder cannot be written to."""


class DatabaseUnusable(StartFailed):
    """The database cannot be reached or is not migrated."""
