"""Everything that can go wrong in ``app``; ``problems`` decides the HTTP form.

LevygridError
├── NotFound: GraphNotFound BusNotFound LabelNotFound JobNotFound ModelNotFound
│             SweepNotFound BaselineNotFound
├── Conflict: NoModelYet GraphInUse ModelInUse JobNotCancellable LabelExists LeaseLost
│             SweepNotCancellable BaselineNotKept ModelsNotComparable
├── Rejected (lists every fault): MalformedBody GridRejected LabelsRejected
│                                  TrainingRejected ModelRejected IdempotencyKeyReused
├── BodyTooLarge
├── MediaTypeUnsupported
├── AddressInvalid
├── CaseUnreadable
├── TooManyUploads
├── TooManyMeasurements
├── ReaderNotStarted
├── TooManyStreams
├── CursorInvalid
├── StoredDataDamaged
├── JobFailed: WorkerLost TrainerCrashed OutOfMemory TimeLimitReached
└── StartFailed: AlreadyRunning PortTaken FolderUnwritable DatabaseUnusable
"""

from collections.abc import Iterable

from ml.errors import Fault


class LevygridError(Exception):
    """Root of the tree; the message is written for the client."""


class NotFound(LevygridError):
    """What the client named does not exist."""


class GraphNotFound(NotFound):
    """No grid has this id."""


class BusNotFound(NotFound):
    """The grid has no bus of this id or name."""


class LabelNotFound(NotFound):
    """The grid has no label set of this name."""


class JobNotFound(NotFound):
    """No job has this id."""


class ModelNotFound(NotFound):
    """No model has this id."""


class SweepNotFound(NotFound):
    """No sweep has this id."""


class BaselineNotFound(NotFound):
    """The model was not measured against a baseline of this name."""


class Conflict(LevygridError):
    """The request is sound, the present state does not allow it."""


class NoModelYet(Conflict):
    """Nothing has been trained that could answer."""


class GraphInUse(Conflict):
    """A grid cannot go while a job works on it."""


class ModelInUse(Conflict):
    """The active model cannot go while it answers."""


class BaselineNotKept(Conflict):
    """Of a baseline only the figures were stored."""


class ModelsNotComparable(Conflict):
    """Two models answer different questions."""


class JobNotCancellable(Conflict):
    """The job has already ended."""


class SweepNotCancellable(Conflict):
    """Every job of the sweep has already ended."""


class LabelExists(Conflict):
    """The grid has other labels of this name; what is stored is never changed."""


class LeaseLost(Conflict):
    """Another worker has taken the job over, or it has ended: this one may write nothing."""


class Rejected(LevygridError):
    """The request breaks rules; ``faults`` lists every breach found."""

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__(message)


class MalformedBody(Rejected):
    """The body is not the JSON it should be."""


class GridRejected(Rejected):
    """The grid has errors; nothing was stored."""


class LabelsRejected(Rejected):
    """The labels have errors; nothing was stored."""


class TrainingRejected(Rejected):
    """The training request cannot be run."""


class ModelRejected(Rejected):
    """The file of a model has errors; nothing was stored."""


class IdempotencyKeyReused(Rejected):
    """The key was sent before, with another request."""


class BodyTooLarge(LevygridError):
    """The body is larger than the limit."""


class MediaTypeUnsupported(LevygridError):
    """The body is not of a type that this address takes."""


class AddressInvalid(LevygridError):
    """The path or query has characters that no id can have."""


class CaseUnreadable(LevygridError):
    """A built-in case could not be read in time."""


class TooManyUploads(LevygridError):
    """As many files as may wait are waiting to be read."""


class TooManyMeasurements(LevygridError):
    """As many label sets as may wait are waiting to be measured."""


class ReaderNotStarted(LevygridError):
    """The machine has no process, open file or memory left for the reader of a file."""


class TooManyStreams(LevygridError):
    """As many streams of events as may be open are open."""


class CursorInvalid(LevygridError):
    """The cursor of a page is not one that was given out."""


class StoredDataDamaged(LevygridError):
    """What the database holds is not what was stored."""


class JobFailed(LevygridError):
    """A job ended without a result; the job carries the reason."""


class WorkerLost(JobFailed):
    """Every try lost its worker."""


class TrainerCrashed(JobFailed):
    """The training process ended without a word."""


class OutOfMemory(JobFailed):
    """The training process needed more memory than it may have."""

    advice = "Use a smaller width or fewer branches"


class TimeLimitReached(JobFailed):
    """The training process ran longer than it may."""


class StartFailed(LevygridError):
    """The service cannot start."""


class AlreadyRunning(StartFailed):
    """Another service uses this data folder."""


class PortTaken(StartFailed):
    """Another program listens on this port."""


class FolderUnwritable(StartFailed):
    """The data folder cannot be written to."""


class DatabaseUnusable(StartFailed):
    """The database cannot be reached or is not migrated."""
