"""How sure an answer is and why: its prediction set, quality and reasons.

The promise of the sets is common to all buses of a model; reasons are per bus.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from app.models.label_evidence import LabelEvidence
from ml import PredictionSets, calibrate, count_needed
from ml.arrays import BoolArray, IntArray

Quality = Literal["known", "good", "uncertain", "doubtful"]
Reason = Literal[
    "known label",
    "too few labels",
    "labels are not a random sample",
    "stale model",
    "island without labels",
    "outside the feature range",
    "far from every label",
    "set is not decisive",
]
PromiseKind = Literal["exact", "empirical", "none"]
_REASONS: tuple[Reason, ...] = Reason.__args__  # type: ignore[attr-defined]  # of a Literal
_CODES: dict[Reason, int] = {reason: 1 << place for place, reason in enumerate(_REASONS)}
_KNOWN, _UNDECIDED = _CODES["known label"], _CODES["set is not decisive"]
_REFITTED = (
    "Empirical, not a guarantee: the same labels were used to choose the method, and the model was "
    "refitted on all of them."
)
_STOPPED = (
    "Empirical, not a guarantee: some of these labels were also used to choose when to stop the "
    "training."
)


class Promise(msgspec.Struct, frozen=True):
    """What the prediction sets promise; described by ``schemas.PromiseOut``."""

    kind: PromiseKind
    coverage: float
    calibration_buses: int
    calibration_substations: int | None
    sentence: str


class Versions(msgspec.Struct, frozen=True):
    """Versions behind an answer; described by ``schemas.AnswerVersionsOut``."""

    grid: int
    newest_grid: int
    labels: int
    newest_labels: int
    model_created_at: datetime

    @property
    def is_stale(self) -> bool:
        """Whether a newer grid or newer labels exist than the model has learnt."""
        return self.newest_grid > self.grid or self.newest_labels > self.labels


class BusTrust(NamedTuple):
    """How sure the answers for some buses are, as lists; sets have positions of classes."""

    members: list[list[int]] | list[None]
    abstain: list[bool]
    quality: list[Quality]
    reasons: list[list[Reason]]


@dataclass(frozen=True, eq=False)
class Trust:
    """The prediction sets of a model at one coverage, and the reasons to doubt its answers.

    ``codes`` has one bit per reason. Shapes: codes (N,).
    """

    sets: PredictionSets | None
    promise: Promise
    versions: Versions
    codes: npt.NDArray[np.uint8]

    def assess(self, buses: IntArray, probabilities: npt.NDArray[np.float32]) -> BusTrust:
        """Return how sure the answers for these buses are. Shapes: buses (n,), (n, K)."""
        codes = self.codes[buses]
        is_known: BoolArray = (codes & _KNOWN) != 0
        if self.sets is None:
            return BusTrust([None] * len(buses), (~is_known).tolist(), *_explain_all(codes))
        inside = self.sets.contain(probabilities)
        sizes = inside.sum(axis=1)
        abstain = (sizes != 1) & ~is_known
        places = np.nonzero(inside)[1].tolist()
        ends = np.cumsum(sizes).tolist()
        members = [places[first:end] for first, end in zip([0, *ends], ends, strict=False)]
        marked = np.where(abstain, codes | _UNDECIDED, codes)
        return BusTrust(members, abstain.tolist(), *_explain_all(marked))

    def find_abstained(self, probabilities: npt.NDArray[np.float32]) -> BoolArray:
        """Return the buses without a known label and without a decisive set, (N,)."""
        unknown: BoolArray = (self.codes & _KNOWN) == 0
        if self.sets is None:
            return unknown
        undecided: BoolArray = self.sets.contain(probabilities).sum(axis=1) != 1
        return unknown & undecided


def make_trust(
    evidence: LabelEvidence, class_count: int, truth: IntArray, versions: Versions, coverage: float
) -> Trust:
    """Calibrate prediction sets at a coverage and collect the reasons of every bus."""
    sets = calibrate(evidence.given, evidence.truth, class_count, coverage, evidence.groups)
    codes = np.zeros(len(truth), dtype=np.uint8)
    marks: tuple[tuple[Reason, BoolArray | bool], ...] = (
        ("too few labels", sets is None),
        ("labels are not a random sample", not evidence.is_random),
        ("stale model", versions.is_stale),
        ("island without labels", evidence.no_label),
        ("outside the feature range", evidence.outside),
        ("far from every label", evidence.far),
    )
    for reason, mark in marks:
        codes |= np.uint8(_CODES[reason]) * np.asarray(mark, dtype=np.uint8)
    codes[truth >= 0] = _KNOWN
    return Trust(sets, _make_promise(evidence, sets, coverage), versions, codes)


def _explain_all(codes: npt.NDArray[np.uint8]) -> tuple[list[Quality], list[list[Reason]]]:
    explained = {code: _explain(code) for code in np.unique(codes).tolist()}
    found = [explained[code] for code in codes.tolist()]
    return [quality for quality, _ in found], [reasons for _, reasons in found]


def _explain(code: int) -> tuple[Quality, list[Reason]]:
    reasons: list[Reason] = [reason for reason in _REASONS if code & _CODES[reason]]
    if code & _KNOWN:
        return "known", reasons
    if code & ~_UNDECIDED:
        return "doubtful", reasons
    return ("uncertain" if reasons else "good"), reasons


def _make_promise(evidence: LabelEvidence, sets: PredictionSets | None, coverage: float) -> Promise:
    buses = len(evidence.truth)
    groups = None if evidence.groups is None else len(np.unique(evidence.groups))
    what = "buses" if groups is None else "substations"
    percent = f"{100 * coverage:g} %"
    if sets is None:
        kind: PromiseKind = "none"
        sentence = (
            f"No promise: {percent} needs at least {count_needed(coverage)} {what} whose label was "
            f"hidden from the model; there are {buses if groups is None else groups}."
        )
    elif not evidence.is_random:
        kind = "none"
        sentence = (
            "No promise: the labels are not a random sample of the grid; they lie closer together "
            "than random buses would. Sets may miss the true class more often elsewhere."
        )
    else:
        kind = "exact" if evidence.is_untouched else "empirical"
        sentence = _describe_coverage(percent, buses, groups)
        if kind == "empirical":
            sentence = f"{sentence} {_REFITTED if evidence.is_refitted else _STOPPED}"
    return Promise(kind, coverage, buses, groups, sentence)


def _describe_coverage(percent: str, buses: int, groups: int | None) -> str:
    if groups is None:
        return f"Sets contain the true class of {percent} of buses like the {buses} known ones."
    return (
        f"Sets contain the true class of {percent} of buses in substations like the {groups} known "
        "ones, each of which counts once."
    )
