"""``reproduce``: run what is missing, write the document, give the rows as JSON."""

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

from experiments.report.document import DOCUMENT, write_document
from experiments.running import Running, limit_seeds, run_jobs
from experiments.runs import RESULTS, read_cell
from experiments.tables.table import Job, choose_jobs


@dataclass(frozen=True)
class Request:
    """What is asked for: a table or data set, or everything; how many seeds; how thoroughly.

    ``quick`` runs few epochs without a search, ``fresh`` runs again what is stored; neither
    touches the stored results or the document.
    """

    wanted: str | None = None
    seeds: int | None = None
    json_path: Path | None = None
    quick: bool = False
    fresh: bool = False
    workers: int = 2
    results: Path = RESULTS
    document: Path = DOCUMENT


def reproduce(request: Request) -> list[str]:
    """Run the jobs asked for and return what was skipped and why.

    Raises: KeyError if neither a table nor a data set has the name asked for.
    """
    jobs = limit_seeds(choose_jobs(request.wanted), request.seeds)
    with _place(request) as results:
        skipped = _run(jobs, Running(results, request.workers, request.quick))
        if request.json_path is not None:
            request.json_path.write_text(
                json.dumps(collect_rows(jobs, results, skipped), indent=1) + "\n", encoding="utf-8"
            )
        if results == request.results:
            write_document(results, request.document)
    return skipped


@contextmanager
def _place(request: Request) -> Iterator[Path]:
    if not (request.quick or request.fresh):
        yield request.results
        return
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        if request.fresh and not request.quick and (request.results / "frozen").exists():
            shutil.copytree(request.results / "frozen", results / "frozen")
        yield results


def _run(jobs: list[Job], running: Running) -> list[str]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as progress:
        bar = progress.add_task("reproduce", total=len(jobs))
        frozen = " frozen"

        def report(step: str) -> None:
            progress.update(bar, description=step, advance=0 if step.endswith(frozen) else 1)

        return run_jobs(jobs, running, report)


def collect_rows(jobs: list[Job], results: Path, skipped: list[str]) -> dict[str, Any]:
    """Return the rows of the first kind of split of each data set, and of the others apart.

    Each row is ``{"method", "mean", "std", "seeds", "dataset", "split"}`` in percent.
    """
    first: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for job in jobs:
        runs = [run for run in read_cell(job.cell, results)["runs"] if run["seed"] < job.seeds]
        if not runs:
            continue
        main = first.setdefault(job.cell.dataset, job.cell.setting)
        (rows if job.cell.setting == main else others).append(_row(job, runs))
    return {"rows": rows, "other_splits": others, "skipped": skipped}


def _row(job: Job, runs: list[dict[str, Any]]) -> dict[str, Any]:
    accuracies = 100 * np.array([run["accuracy"] for run in runs])
    spread = float(accuracies.std(ddof=1)) if len(runs) > 1 else 0.0
    return {
        "method": job.contender.title,
        "mean": round(float(accuracies.mean()), 2),
        "std": round(spread, 2),
        "seeds": len(runs),
        "dataset": job.cell.dataset,
        "split": job.cell.setting,
    }
