"""docs/trust.md: coverage of prediction sets and calibration, from the stored cells alone."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.json_lines import replace_text
from experiments.report.notes import read_note
from experiments.report.performance import save_figure
from experiments.trust.summary import TaskFigures
from ml.trust.conformal import LEAST_IN_BIN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE_NAME = "trust.md"
TOLERANCE = 0.02
_CHART_COLUMNS = 4


def write_document(figures: Sequence[TaskFigures], docs: Path, skipped: Sequence[str] = ()) -> Path:
    """Write the page and its picture; return the page."""
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    save_figure(draw_reliability(figures), images / "trust-reliability.svg")
    page = docs / FILE_NAME
    replace_text(page, describe(figures, skipped) + "\n")
    return page


def describe(figures: Sequence[TaskFigures], skipped: Sequence[str]) -> str:
    """Return the page as Markdown."""
    return read_note(
        "trust",
        lac="`1 - p`",
        least=LEAST_IN_BIN,
        coverage=_tabulate_sets(figures),
        verdict=_judge(figures),
        reliability=_tabulate_reliability(figures),
        skipped="".join(f"- Not measured: {reason}.\n" for reason in skipped),
    )


def _tabulate_sets(figures: Sequence[TaskFigures]) -> str:
    columns = (
        *("task", "seeds", "labels", "accuracy", "promised", "by threshold", "served"),
        *("worst class", "mean size", "decided", "APS coverage", "APS size"),
    )
    rows = [
        (
            one.title,
            str(row.seeds),
            f"{one.labels}{' by substation' if one.grouped else ''}",
            f"{one.accuracy:.3f}",
            f"{row.promised:g}",
            f"{row.threshold:.3f} ± {row.error:.3f}",
            f"{row.coverage:.3f}",
            f"{row.worst_class:.2f}",
            f"{row.size:.2f}",
            f"{row.decided:.2f}",
            f"{row.adaptive:.3f}",
            f"{row.adaptive_size:.2f}",
        )
        for one in figures
        for row in one.sets
    ]
    return _table(columns, rows)


def _judge(figures: Sequence[TaskFigures]) -> str:
    """Count how often the promise was met, in one sentence."""
    rows = [row for one in figures for row in one.sets]
    if not rows:
        return "No cell is stored yet."
    gaps = [row.threshold - row.promised for row in rows]
    near = sum(abs(gap) <= TOLERANCE for gap in gaps)
    below = sum(row.coverage < row.promised - TOLERANCE for row in rows)
    return (
        f"Of {len(rows)} rows {near} are within {TOLERANCE:g} of the promise by threshold; the "
        f"mean gap is {np.mean(gaps):+.3f}. {below} served coverages are more than {TOLERANCE:g} "
        "below the promise."
    )


def _tabulate_reliability(figures: Sequence[TaskFigures]) -> str:
    rows = [
        (
            one.title,
            *(f"{one.reliability[score].error:.3f}" for score in ("raw", "served", "scaled")),
        )
        for one in figures
    ]
    return _table(("task", "ECE before", "ECE served", "ECE scaled again"), rows)


def draw_reliability(figures: Sequence[TaskFigures]) -> "Figure":
    """Draw accuracy against probability before and after calibration, one panel per task."""
    from matplotlib.figure import Figure

    rows = max(1, -(-len(figures) // _CHART_COLUMNS))
    figure = Figure(figsize=(10, 2.6 * rows), layout="constrained")
    panels = figure.subplots(rows, _CHART_COLUMNS, squeeze=False).ravel()
    for panel in panels[len(figures) :]:
        panel.set_axis_off()
    for panel, one in zip(panels, figures, strict=False):
        panel.plot([0, 1], [0, 1], "k:")
        for score, style, name in (("raw", "C0.-", "before"), ("served", "C3.-", "served")):
            found = one.reliability[score]
            used = found.counts > 0
            panel.plot(found.confidence[used], found.accuracy[used], style, label=name)
        panel.set_title(one.title, fontsize=7)
        panel.set_xlabel("probability", fontsize=7)
        panel.set_ylabel("right", fontsize=7)
        panel.tick_params(labelsize=7)
    if figures:
        panels[0].legend(fontsize=7)
    return figure


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
