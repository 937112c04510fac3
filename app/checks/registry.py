"""All rules, and the run of them over one grid."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches

import numpy as np

from app.checks.checked_grid import CheckedGrid
from app.checks.report import BranchRef, CheckReport, Finding, RuleResult, SkippedRule
from app.checks.rule import Cells, Hits, Rule
from app.checks.rules import (
    duplicates,
    impedances,
    injections,
    islands,
    power_flow,
    ratings,
    regions,
    substations,
    voltages,
)
from app.errors import Rejected
from app.grid.grid import Grid
from app.grid.listing import MOST_LISTED
from app.grid.text_rules import shorten
from ml.errors import Fault

_MODULES = (
    *(voltages, substations, impedances, ratings, injections, islands, duplicates, regions),
    power_flow,
)
RULES: dict[str, Rule] = {rule.name: rule for module in _MODULES for rule in module.RULES}
"""Every rule by its name; the order is that of the report within a severity."""
_LONGEST_NAME = 60
SEVERITIES = ("error", "warning", "note")


def choose_rules(without: Collection[str]) -> list[Rule]:
    """Return all rules but the named ones. Raises: Rejected naming every unknown rule."""
    unknown = [name for name in dict.fromkeys(without) if name not in RULES]
    if unknown:
        faults = [Fault("query.without", _explain_unknown(name)) for name in unknown]
        raise Rejected(f"Unknown rules. The rules are: {', '.join(RULES)}.", faults)
    return [rule for rule in RULES.values() if rule.name not in without]


def _explain_unknown(name: str) -> str:
    close = get_close_matches(name[:_LONGEST_NAME], RULES, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no rule {shorten(name)}{hint}"


def check_grid(
    checked: CheckedGrid, without: Collection[str] = (), most: int = MOST_LISTED
) -> CheckReport:
    """Run the rules; at most ``most`` findings per rule are described, all are counted.

    Cost: about linear in buses and branches. Raises: Rejected for an unknown rule.
    """
    results: list[RuleResult] = []
    skipped: list[SkippedRule] = []
    for rule in choose_rules(without):
        missing = checked.list_missing(rule.needs)
        if missing:
            skipped.append(SkippedRule(rule.name, f"the grid lacks {', '.join(missing)}"))
            continue
        with np.errstate(all="ignore"):  # a grid may have any finite numbers
            hits = rule.find(checked)
        if hits.count:
            results.append(_describe(checked.grid, rule, hits, most))
    results.sort(key=lambda result: SEVERITIES.index(result.severity))
    counts = {severity: _count(results, severity) for severity in SEVERITIES}
    return CheckReport(
        errors=counts["error"],
        warnings=counts["warning"],
        notes=counts["note"],
        results=results,
        skipped=skipped,
        without=sorted(set(without)),
    )


def _count(results: list[RuleResult], severity: str) -> int:
    return sum(result.count for result in results if result.severity == severity)


def _describe(grid: Grid, rule: Rule, hits: Hits, most: int) -> RuleResult:
    findings = [_make_finding(grid, rule, hits, row) for row in range(min(hits.count, most))]
    return RuleResult(
        rule.name, rule.severity, rule.title, rule.why, rule.fix, hits.count, findings
    )


def _make_finding(grid: Grid, rule: Rule, hits: Hits, row: int) -> Finding:
    buses = hits.buses[row].tolist() if len(hits.buses) else []
    branches = hits.branches[row].tolist() if len(hits.branches) else []
    numbers = {name: _round(values, row) for name, values in hits.numbers.items()}
    refs = [_name_branch(grid, branch) for branch in branches[:MOST_LISTED]]
    element = next(_name_elements(grid, refs, buses), "")
    return Finding(
        message=rule.sentence.format(element=element, **numbers),
        buses=[grid.bus_ids[bus] for bus in buses[:MOST_LISTED]],
        branches=refs,
        element_count=len(buses) + len(branches),
        numbers={name: _drop_nan(number) for name, number in numbers.items()},
    )


def _name_branch(grid: Grid, branch: int) -> BranchRef:
    source, target = grid.ends[branch].tolist()
    kind = grid.kind_names[grid.kinds[branch]]
    return BranchRef(branch, grid.bus_ids[source], grid.bus_ids[target], kind)


def _name_elements(grid: Grid, refs: list[BranchRef], buses: list[int]) -> Iterator[str]:
    for ref in refs:
        yield f"{ref.kind} {ref.source} - {ref.target}"
    for bus in buses:
        yield f"bus {grid.bus_ids[bus]}"


def _round(values: Cells, row: int) -> float | str:
    value = values[row]
    return str(value) if isinstance(value, str) else float(f"{float(value):.6g}")


def _drop_nan(number: float | str) -> float | str | None:
    return None if isinstance(number, float) and not np.isfinite(number) else number
