"""Whether prediction sets and probabilities of the default model keep their promise."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments.paths import DOCS, RESULTS
from experiments.report.trust import write_document
from experiments.trust.cells import QUICK_TASKS, TRUST_TASKS, plan_cells, read_measured, run_cells
from experiments.trust.summary import TaskFigures, summarise

WORKERS = 2


def run(
    *,
    quick: bool = False,
    seeds: int | None = None,
    workers: int = WORKERS,
    results: Path = RESULTS,
    docs: Path = DOCS,
) -> dict[str, Any]:
    """Fill the missing cells, write docs/trust.md and return the figures.

    Cells are stored as they finish; a later call continues. ``seeds`` limits the seeds per task.
    ``quick`` runs two small tasks with one seed and changes neither the cells nor the page.
    """
    plan = plan_cells(1, QUICK_TASKS) if quick else plan_cells(seeds, TRUST_TASKS)
    with _results_folder(results, quick=quick) as folder:
        failures = run_cells(plan, folder, workers, _show)
        figures = summarise(read_measured(folder))
        if not quick and docs.is_dir():
            write_document(figures, docs, plan.skipped)
    rows = [row for one in figures for row in _make_rows(one)]
    return {"rows": rows, "skipped": list(plan.skipped), "failures": failures}


def _show(title: str) -> None:
    print(title, file=sys.stderr, flush=True)  # noqa: T201 - a run may take hours


@contextmanager
def _results_folder(results: Path, *, quick: bool) -> Iterator[Path]:
    if not quick:
        yield results
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _make_rows(one: TaskFigures) -> list[dict[str, Any]]:
    return [
        {
            "task": one.name,
            "seeds": figures.seeds,
            "labels": one.labels,
            "promised": figures.promised,
            "coverage": round(figures.coverage, 4),
            "by_threshold": round(figures.threshold, 4),
            "worst_class": round(figures.worst_class, 4),
            "mean_size": round(figures.size, 3),
            "decided": round(figures.decided, 4),
            "accuracy": round(one.accuracy, 4),
            "ece_before": round(one.reliability["raw"].error, 4),
            "ece": round(one.reliability["served"].error, 4),
        }
        for figures in one.sets
    ]
