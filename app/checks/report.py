"""Result of checking a grid: counts by severity, and findings by rule."""

from msgspec import Struct, field

from app.checks.rule import Severity


class BranchRef(Struct, frozen=True):
    """A branch: its position in `GET /graphs/{id}/branches` from 0 on, its ends and its kind."""

    row: int
    source: str = field(name="from")
    target: str = field(name="to")
    kind: str


class Finding(Struct, frozen=True):
    """One finding of a rule; at most 20 of its elements are named, all are counted."""

    message: str
    buses: list[str]
    branches: list[BranchRef]
    element_count: int
    numbers: dict[str, float | str | None]


class RuleResult(Struct, frozen=True):
    """All findings of one rule: their number, and the first of them, worst first."""

    rule: str
    severity: Severity
    title: str
    why: str
    fix: str
    count: int
    findings: list[Finding]


class SkippedRule(Struct, frozen=True):
    """A rule that could not run on this grid."""

    rule: str
    reason: str


class CheckReport(Struct, frozen=True):
    """Findings of all rules, errors first, and the rules that did not run."""

    errors: int
    warnings: int
    notes: int
    results: list[RuleResult]
    skipped: list[SkippedRule]
    without: list[str]
