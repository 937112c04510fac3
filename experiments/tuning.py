"""Hyper-parameter search on validation nodes, with the same budget for every method."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from experiments.datasets.dataset import Dataset
from experiments.methods import CITATION_START, MethodRow, SettingValues, Space
from experiments.protocol import CITATION, UNNAMED, WORD_FREQUENCIES, run_settings, validate
from experiments.tuned import is_tuned, store_tuned
from ml.methods.registry import flatten_settings, get_method, make_config

TRIALS = 20
"""Configurations per method on the smallest grids."""
FEWER_TRIALS = ((1500, 6), (200, 10))
"""Pairs (nodes, limit): at most ``limit`` configurations per method beyond that many nodes."""
CITATION_TRIALS = ((10_000, 6), (0, 12))
"""The same pairs for the citation graphs, where only our own methods are searched."""
FIRST_SEEDS = (100,)
FINAL_SEEDS = (101, 102, 103)
"""Seeds of the search; none of them is among the reported seeds."""
FINALIST_EVERY = 5
"""One in this many configurations reaches the second round."""
Score = Callable[[SettingValues, int], tuple[float, float]]
"""Returns accuracy and negative loss on the validation nodes, for settings and a seed."""

_WORDS: Space = {"feature_scaling": ("none", "presence")}


def tune(row: MethodRow, dataset: Dataset, results: Path, *, quick: bool) -> None:
    """Search on validation nodes and store the choice, unless one is stored already.

    Every searched method has the same budget: ``trial_limit`` configurations, its published one
    first, the rest spread evenly over its space by a seed that depends on the name of the method
    alone. All of them are tried with one seed; the best fifth, if that is more than one, is tried
    with three other seeds, which decide. On the citation graphs rivals keep their published
    settings, except for the choice between word counts and word presence (``WORD_FREQUENCIES``).
    Where a split was published, the search uses its training and validation nodes only.
    """
    if row.based_on or is_tuned(results, dataset.name, row.key):
        return
    candidates = list_trials(row, dataset.name, quick=quick)[: trial_limit(dataset)]
    split_kind = "seeded" if dataset.published is None else "published"
    chosen = 0
    rounds: list[dict[str, Any]] = []
    if len(candidates) > 1:
        chosen, rounds = _choose(
            candidates, lambda trial, seed: validate(row, dataset, split_kind, trial, seed)
        )
    content = {
        "dataset": dataset.name,
        "method": row.key,
        "quick": quick,
        "search": {"setting": split_kind, "trials": candidates, "rounds": rounds},
        "settings": _write_out(row, candidates[chosen]),
    }
    store_tuned(results, content)


def trial_limit(dataset: Dataset) -> int:
    """Return the number of configurations per searched method."""
    limits = CITATION_TRIALS if dataset.name in CITATION else FEWER_TRIALS
    return next((limit for nodes, limit in limits if dataset.graph.node_count > nodes), TRIALS)


def _write_out(row: MethodRow, settings: SettingValues) -> SettingValues:
    """Return every setting of a network, so that later changes of defaults change no table."""
    if not get_method(row.method).is_network:
        return settings
    whole = flatten_settings(make_config(method=row.method, **settings))
    return {name: value for name, value in whole.items() if name not in {"method", "seed"}}


def list_trials(row: MethodRow, dataset: str, *, quick: bool) -> list[SettingValues]:
    """Return the configurations to compare, the published one first."""
    start, space = _start_and_space(row, dataset)
    first = complete(row, dataset, start, quick=quick)
    if quick or not space:
        return [first]
    if space.keys() == _WORDS.keys():
        return [first, {**first, "feature_scaling": "presence"}]
    generator = np.random.default_rng(crc32(row.key.encode()))
    columns = {name: _spread(values, generator) for name, values in space.items()}
    drawn = [
        dict(zip(columns, trial, strict=True)) for trial in zip(*columns.values(), strict=True)
    ]
    return [first, *({**first, **changes} for changes in drawn)]


def _start_and_space(row: MethodRow, dataset: str) -> tuple[SettingValues, Space]:
    """Return the settings that a search starts from and the values that it may choose.

    Where features are word counts, a trained method also chooses between counts and presence,
    unless its published settings name one of them.
    """
    start = row.published(dataset)
    if dataset not in CITATION:
        return start, row.search.grid
    space = row.search.citation
    if space:
        changes, more = row.search.citation_on.get(dataset, ({}, {}))
        start = {**start, **CITATION_START, **row.search.citation_start, **changes}
        space = {**space, **more}
    may_choose = dataset in WORD_FREQUENCIES and "feature_scaling" not in start
    return start, {**space, **_WORDS} if may_choose and _is_trained(row) else space


def complete(
    row: MethodRow, dataset: str, settings: SettingValues, *, quick: bool
) -> SettingValues:
    """Add the settings that all trained methods share: stopping and feature scaling."""
    if not _is_trained(row):
        return settings
    own = {name: settings[name] for name in _WORDS.keys() & settings.keys()}
    words = own if dataset in WORD_FREQUENCIES else {}
    return {**UNNAMED, **settings, **run_settings(dataset, quick=quick), **words}


def _is_trained(row: MethodRow) -> bool:
    return get_method(row.method).fit is None


def _spread(values: tuple[Any, ...], generator: np.random.Generator) -> list[Any]:
    """Return one value per trial, all values equally often, in random order."""
    order = generator.permutation(TRIALS - 1)
    start = int(generator.integers(len(values)))
    return [values[(start + int(place)) % len(values)] for place in order]


def _choose(candidates: list[SettingValues], score: Score) -> tuple[int, list[dict[str, Any]]]:
    """Return the position of the best candidate and the scores of both rounds."""
    entrants = list(range(len(candidates)))
    rounds: list[dict[str, Any]] = []
    for seeds, places in ((FIRST_SEEDS, len(candidates) // FINALIST_EVERY), (FINAL_SEEDS, 1)):
        if rounds and len(entrants) == 1:
            break
        merits = {entrant: _merit(candidates[entrant], seeds, score) for entrant in entrants}
        rounds.append({"seeds": list(seeds), "validation": merits})
        entrants = sorted(merits, key=lambda entrant: merits[entrant], reverse=True)[
            : max(1, places)
        ]
    return entrants[0], rounds


def _merit(settings: SettingValues, seeds: tuple[int, ...], score: Score) -> list[float]:
    scores = [score(settings, seed) for seed in seeds]
    return [round(float(value), 6) for value in np.mean(scores, axis=0)]
