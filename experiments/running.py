"""Runs the jobs of tables, in one process or in several, and continues an interrupted run."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from experiments.datasets.dataset import Dataset, load_dataset
from experiments.methods import METHOD_ROWS, MethodRow, SettingValues
from experiments.protocol import MeasuredRun, measure
from experiments.runs import add_run, copy_missing_runs, missing_seeds
from experiments.tables.table import CellJob
from experiments.tuned import read_tuned
from experiments.tuning import tune
from ml.compute.child_process import die_with_parent
from ml.errors import DatasetUnavailable, MlError


@dataclass(frozen=True)
class RunOptions:
    """Where results are stored, how many processes run, and whether this is a smoke test."""

    results: Path
    workers: int = 1
    quick: bool = False


@dataclass(frozen=True)
class ProgressHooks:
    """Functions that are called with a description after each tuned method and each cell."""

    on_tuned: Callable[[str], None] = lambda _step: None
    on_cell: Callable[[str], None] = lambda _step: None


def run_jobs(jobs: list[CellJob], options: RunOptions, progress: ProgressHooks) -> list[str]:
    """Tune methods, then fill cells, data set by data set; return what was skipped and why."""
    skipped: list[str] = []
    for dataset, group in groupby(jobs, key=lambda job: job.cell.dataset):
        try:
            load_dataset(dataset)
        except DatasetUnavailable as error:
            skipped.append(f"{dataset}: {error}")
            continue
        members = list(group)
        sources = dict.fromkeys(job.row.based_on or job.row.key for job in members)
        searches = [(METHOD_ROWS[key], dataset, options) for key in sources]
        for title, problems in spread(_tune_one, searches, options.workers):
            progress.on_tuned(f"{dataset}: {title} tuned")
            skipped.extend(problems)
        cells = [(job, options) for job in members]
        for title, problems in spread(_run_one, cells, options.workers):
            progress.on_cell(f"{dataset}: {title}")
            skipped.extend(problems)
    return skipped


Outcome = tuple[str, list[str]]
"""Title of what was done, and the problems met."""


def spread(work: Callable[..., Outcome], parts: list[tuple], workers: int) -> Iterator[Outcome]:  # type: ignore[type-arg]  # arguments of work
    """Call ``work`` with every tuple of arguments; yield the outcomes as they arrive."""
    if workers == 1:
        for part in parts:
            yield work(*part)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),)
    ) as pool:
        for future in as_completed([pool.submit(work, *part) for part in parts]):
            yield future.result()


def _start_worker(parent: int) -> None:
    """Use one thread, and end when the parent process ends."""
    import torch

    die_with_parent(parent, signal.SIGKILL)
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)


def _tune_one(row: MethodRow, dataset: str, options: RunOptions) -> Outcome:
    try:
        tune(row, load_dataset(dataset), options.results, quick=options.quick)
    except MlError as error:
        return row.title, [f"{row.title} on {dataset}: {error}"]
    return row.title, []


def _run_one(job: CellJob, options: RunOptions) -> Outcome:
    title, results = job.row.title, options.results
    try:
        settings, tuned_hash = read_tuned(job.row, job.cell.dataset, results)
        dataset = load_dataset(job.cell.dataset)
        copy_missing_runs(job.cell, results, tuned_hash, job.seeds)
        missing = missing_seeds(job.cell, results, tuned_hash, job.seeds)
        for run in _measure_all(job, dataset, settings, missing):
            add_run(job.cell, results, tuned_hash, run)
    except MlError as error:
        return title, [f"{title} on {job.cell.dataset}: {error}"]
    return f"{title} ({job.cell.split_kind})", []


def _measure_all(
    job: CellJob, dataset: Dataset, settings: SettingValues, seeds: list[int]
) -> Iterator[MeasuredRun]:
    """Run seed by seed; run once for all if neither the split nor the method uses the seed."""
    same_for_all = job.row.deterministic and job.cell.split_kind == "published"
    run: MeasuredRun | None = None
    for seed in seeds:
        if run is None or not same_for_all:
            run = measure(job.row, dataset, job.cell.split_kind, settings, seed)
        yield replace(run, seed=seed)


def limit_seeds(jobs: list[CellJob], seeds: int | None) -> list[CellJob]:
    """Return the jobs with another number of seeds, if one is given."""
    return jobs if seeds is None else [replace(job, seeds=seeds) for job in jobs]
