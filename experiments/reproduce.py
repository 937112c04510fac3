"""Reproduction of the tables: run missing cells, write the page, return the rows as JSON."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.paths import DOCS, RESULTS
from experiments.report.document import write_document
from experiments.running import ProgressHooks, RunOptions, limit_seeds, run_jobs
from experiments.runs import Runs, read_runs
from experiments.tables.table import CellJob, choose_jobs
from experiments.tuned import FILE_NAME as TUNED


@dataclass(frozen=True)
class ReproductionRequest:
    """A table, a data set or everything (``name`` is ``None``), and how to run it.

    ``quick`` runs few epochs without a search; ``fresh`` repeats stored runs. Neither changes the
    stored results or the page.
    """

    name: str | None = None
    seeds: int | None = None
    json_path: Path | None = None
    quick: bool = False
    fresh: bool = False
    workers: int = 2
    results: Path = RESULTS
    docs: Path = DOCS


def run_reproduction(request: ReproductionRequest) -> list[str]:
    """Run the requested jobs and return what was skipped and why.

    Raises: KeyError if neither a table nor a data set has the requested name.
    """
    jobs = limit_seeds(choose_jobs(request.name), request.seeds)
    with _results_folder(request) as results:
        skipped = _run(jobs, RunOptions(results, request.workers, request.quick))
        if request.json_path is not None:
            rows = collect_rows(jobs, results, skipped)
            request.json_path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        if results == request.results:
            write_document(results, request.docs)
    return skipped


@contextmanager
def _results_folder(request: ReproductionRequest) -> Iterator[Path]:
    """Yield the stored results, or a temporary folder if they must not change."""
    if not (request.quick or request.fresh):
        yield request.results
        return
    with tempfile.TemporaryDirectory() as folder:
        if not request.quick and (request.results / TUNED).exists():
            shutil.copy(request.results / TUNED, folder)
        yield Path(folder)


def _run(jobs: list[CellJob], options: RunOptions) -> list[str]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as progress:
        bar = progress.add_task("reproduce", total=len(jobs))
        hooks = ProgressHooks(
            on_tuned=lambda step: progress.update(bar, description=step),
            on_cell=lambda step: progress.update(bar, description=step, advance=1),
        )
        return run_jobs(jobs, options, hooks)


def collect_rows(jobs: list[CellJob], results: Path, skipped: list[str]) -> dict[str, Any]:
    """Return the rows of the first kind of split per data set, and those of other splits apart.

    Each row is ``{"method", "mean", "std", "seeds", "dataset", "split"}`` in percent.
    """
    first: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for job in jobs:
        runs = [run for run in read_runs(job.cell, results) if run["seed"] < job.seeds]
        if not runs:
            continue
        main = first.setdefault(job.cell.dataset, job.cell.split_kind)
        (rows if job.cell.split_kind == main else others).append(_row(job, runs))
    return {"rows": rows, "other_splits": others, "skipped": skipped}


def _row(job: CellJob, runs: Runs) -> dict[str, Any]:
    accuracies = 100 * np.array([run["accuracy"] for run in runs])
    deviation = float(accuracies.std(ddof=1)) if len(runs) > 1 else 0.0
    return {
        "method": job.row.title,
        "mean": round(float(accuracies.mean()), 2),
        "std": round(deviation, 2),
        "seeds": len(runs),
        "dataset": job.cell.dataset,
        "split": job.cell.split_kind,
    }
