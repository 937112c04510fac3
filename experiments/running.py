"""Runs jobs, alone or over processes, and continues where an earlier run stopped."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from experiments.datasets.dataset import Dataset, load_dataset
from experiments.methods import CONTENDERS, Contender, Settings
from experiments.protocol import Measurement, measure
from experiments.runs import add_run, missing_seeds, take_over_runs
from experiments.tables.table import Job
from experiments.tuning import freeze, frozen_path, read_frozen
from ml.compute.child_process import die_with_parent
from ml.errors import DatasetUnavailable, MlError

Report = Callable[[str], None]


@dataclass(frozen=True)
class Running:
    """How jobs are run: where results go, how many processes, whether it is a smoke run."""

    results: Path
    workers: int = 1
    quick: bool = False


def run_jobs(jobs: list[Job], running: Running, report: Report) -> list[str]:
    """Freeze configurations, then fill cells, data set by data set; return what was skipped."""
    skipped: list[str] = []
    for dataset, group in groupby(jobs, key=lambda job: job.cell.dataset):
        try:
            load_dataset(dataset)
        except DatasetUnavailable as error:
            skipped.append(f"{dataset}: {error}")
            continue
        members = list(group)
        sources = dict.fromkeys(job.contender.based_on or job.contender.key for job in members)
        searches = [(CONTENDERS[key], dataset, running) for key in sources]
        for name, problem in _spread(_freeze_one, searches, running.workers):
            report(f"{dataset}: {name} frozen")
            skipped.extend(problem)
        for name, problem in _spread(
            _run_one, [(job, running) for job in members], running.workers
        ):
            report(f"{dataset}: {name}")
            skipped.extend(problem)
    return skipped


Answer = tuple[str, list[str]]


def _spread(work: Callable[..., Answer], parts: list[tuple], workers: int) -> Iterator[Answer]:  # type: ignore[type-arg]  # arguments of work
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
    """Work with one thread, and not on results that nobody waits for any more."""
    import torch

    die_with_parent(parent, signal.SIGKILL)
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)


def _freeze_one(contender: Contender, dataset: str, running: Running) -> Answer:
    if frozen_path(running.results, dataset, contender.key).exists():
        return contender.title, []
    try:
        freeze(contender, load_dataset(dataset), running.results, quick=running.quick)
    except MlError as error:
        return contender.title, [f"{contender.title} on {dataset}: {error}"]
    return contender.title, []


def _run_one(job: Job, running: Running) -> Answer:
    try:
        settings, frozen = read_frozen(job.contender, job.cell.dataset, running.results)
        dataset = load_dataset(job.cell.dataset)
        take_over_runs(job.cell, running.results, frozen, job.seeds)
        missing = missing_seeds(job.cell, running.results, frozen, job.seeds)
        for run in _measure_all(job, dataset, settings, missing):
            add_run(job.cell, running.results, frozen, run)
    except MlError as error:
        return job.contender.title, [f"{job.contender.title} on {job.cell.dataset}: {error}"]
    return f"{job.contender.title} ({job.cell.setting})", []


def _measure_all(
    job: Job, dataset: Dataset, settings: Settings, seeds: list[int]
) -> Iterator[Measurement]:
    """Run seed by seed; where neither the split nor the method depends on it, once for all."""
    alike = job.contender.deterministic and job.cell.setting == "published"
    run: Measurement | None = None
    for seed in seeds:
        if run is None or not alike:
            run = measure(job.contender, dataset, job.cell.setting, settings, seed)
        yield replace(run, seed=seed)


def limit_seeds(jobs: list[Job], seeds: int | None) -> list[Job]:
    """Return the jobs with another number of seeds, if one is given."""
    return jobs if seeds is None else [replace(job, seeds=seeds) for job in jobs]
