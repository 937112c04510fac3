"""The default of the product against every single method, on the tasks of the selection panel."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.paths import DOCS, RESULTS
from experiments.report.selection import of_half, with_enough, write_document
from experiments.selection.panel import PanelPlan, list_missing, plan_panel, read_cells, run_panel
from experiments.selection.regret import (
    LevelResult,
    collect_levels,
    count_wins,
    mean_regret,
    measure_stated,
    regret_by_task,
)

WORKERS = 2


def run(
    *, quick: bool = False, workers: int = WORKERS, results: Path = RESULTS, docs: Path = DOCS
) -> dict[str, Any]:
    """Fill the missing cells, write docs/selection.md and return the figures.

    Cells are stored as they finish; a later call continues. ``quick`` runs a few small tasks
    with one seed and changes neither the stored cells nor the page.
    """
    plan = plan_panel(quick=quick)
    with _results_folder(results, quick=quick) as folder:
        failures = _run(plan, folder, workers)
        levels = collect_levels(read_cells(folder))
        if not quick and docs.is_dir():
            write_document(folder, docs, plan.skipped)
    return {"rows": [_make_row(one) for one in levels], **_summarise(levels, plan, failures)}


@contextmanager
def _results_folder(results: Path, *, quick: bool) -> Iterator[Path]:
    if not quick:
        yield results
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _run(plan: PanelPlan, results: Path, workers: int) -> list[str]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    missing = [cell for cell in plan.cells if list_missing(cell, results)]
    with Progress(*columns) as progress:
        done = len(plan.cells) - len(missing)
        bar = progress.add_task("selection", total=len(plan.cells), completed=done)
        return run_panel(
            missing,
            results,
            workers,
            lambda title: progress.update(bar, description=title, advance=1),
        )


def _make_row(one: LevelResult) -> dict[str, Any]:
    return {
        "task": one.task,
        "level": one.level,
        "labels": round(one.labels),
        "seeds": len(one.runs),
        "default": round(100 * one.default, 2),
        "lp": round(100 * one.singles["lp"], 2) if "lp" in one.singles else None,
        "best": round(100 * one.singles[one.best], 2),
        "best_method": one.best,
        "regret": round(one.regret, 2),
        "seconds": round(one.seconds, 2),
    }


def _summarise(levels: list[LevelResult], plan: PanelPlan, failures: list[str]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for half in ("tuning", "reporting"):
        members = of_half(levels, half)
        stated = measure_stated(members)
        if members:
            figures[half] = {
                "mean_regret": mean_regret(members),
                "regret_by_task": regret_by_task(members),
                "regret_by_task_from_5_per_class": regret_by_task(with_enough(members)),
                "wins": dict(count_wins(members).most_common()),
                "stated": stated and asdict(stated),
            }
    return {**figures, "skipped": list(plan.skipped), "failures": failures}
