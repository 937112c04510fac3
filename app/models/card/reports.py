"""Typed views of the JSON reports stored with a model: metrics, baselines, label report.

The stored JSON is only read here; older rows lack some fields, which then have their defaults.
"""

from collections.abc import Mapping
from typing import Literal, Self

import msgspec

from app.errors import StoredDataDamaged

Part = Literal["train", "validation", "test"]
CROSS_VALIDATION = "cross_validation"
"""Kind of a split request without held-out buses: all figures are out of fold."""


class _StoredReport(msgspec.Struct, frozen=True, kw_only=True):
    @classmethod
    def from_stored(cls, stored: Mapping[str, object] | None) -> Self:
        """Read a stored report; null and unknown fields are ignored.

        Raises: StoredDataDamaged.
        """
        given = {name: value for name, value in (stored or {}).items() if value is not None}
        try:
            return msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise StoredDataDamaged(f"A stored report cannot be read: {error}.") from error


class FigureSummary(_StoredReport, frozen=True, kw_only=True):
    """The four figures that are stored for every method; None where none was measured."""

    count: int | None = None
    accuracy: float | None = None
    macro_f1: float | None = None
    log_loss: float | None = None


class ClassFigures(_StoredReport, frozen=True, kw_only=True):
    """One class against all others; ``support`` counts its buses."""

    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    support: int = 0


class PartFigures(FigureSummary, frozen=True, kw_only=True):
    """All figures of a model on one part of its split."""

    per_class: tuple[ClassFigures, ...] = ()
    confusion: list[list[int]] | None = None
    expected_calibration_error: float | None = None


class ModelFigures(_StoredReport, frozen=True, kw_only=True):
    """The figures of a model on each part of its split."""

    train: PartFigures = PartFigures()
    validation: PartFigures = PartFigures()
    test: PartFigures = PartFigures()

    def on(self, part: Part) -> PartFigures:
        """Return the figures on one part."""
        figures: PartFigures = getattr(self, part)
        return figures


class BaselineReport(_StoredReport, frozen=True, kw_only=True):
    """One baseline of a model as it was measured, or the reason why it was skipped.

    ``owner_id`` is the model that the fitted baseline is stored with, if it is another one;
    ``model_id`` is set where the compared method is itself a stored model.
    """

    key: str
    title: str
    skipped: str | None = None
    tried: int = 0
    promotable: bool = False
    validation: FigureSummary = FigureSummary()
    test: FigureSummary = FigureSummary()
    owner_id: str | None = None
    model_id: str | None = None

    def promote_path(self, measured_with: str) -> str | None:
        """Return the path whose POST makes the baseline answer; None if it was not stored."""
        if self.model_id is not None:
            return f"/models/{self.model_id}/promote"
        if not self.promotable:
            return None
        return f"/models/{self.owner_id or measured_with}/baselines/{self.key}/promote"


class BaselineReports(_StoredReport, frozen=True, kw_only=True):
    """All baselines of a model; ``omitted`` is the reason why none was measured."""

    omitted: str | None = None
    shared_from: str | None = None
    items: tuple[BaselineReport, ...] = ()


class StoredSuitability(_StoredReport, frozen=True, kw_only=True):
    """What the card needs of the report on the label."""

    gives_away: tuple[str, ...] = ()
    classes_too_small: tuple[str, ...] = ()


class SelectionEstimate(_StoredReport, frozen=True, kw_only=True):
    """Expected accuracy on buses without a label, corrected for the choice of the method."""

    accuracy: float
    low: float
    high: float
    ungrouped: float | None = None


class SelectionMember(_StoredReport, frozen=True, kw_only=True):
    """One method of the chosen model and its weight."""

    key: str
    title: str = ""
    method: str
    weight: float


class SelectionCandidate(_StoredReport, frozen=True, kw_only=True):
    """One candidate of the search, with its out-of-fold figures if it was evaluated."""

    key: str
    family: str = ""
    accuracy: float | None = None
    log_loss: float | None = None
    seconds: float = 0.0
    status: str


class SelectionReport(_StoredReport, frozen=True, kw_only=True):
    """The evidence for an automatic choice; without members there was none."""

    reason: str = ""
    labels: int = 0
    folds: int = 0
    repeats: int = 0
    grouped: bool = False
    estimate: SelectionEstimate | None = None
    members: tuple[SelectionMember, ...] = ()
    candidates: tuple[SelectionCandidate, ...] = ()


class SplitRequest(_StoredReport, frozen=True, kw_only=True):
    """How the split was drawn, if it was drawn by this service."""

    kind: str | None = None
    seed: int | None = None
    fractions: list[float] | None = None
