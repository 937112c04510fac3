"""The search on validation nodes, and the file that freezes what it chose."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from experiments.datasets.dataset import Dataset
from experiments.methods import CITATION_START, Contender, Settings, Space
from experiments.protocol import CITATION, UNNAMED, WORD_FREQUENCIES, run_settings, validate
from experiments.runs import replace_text
from ml.errors import DatasetUnavailable
from ml.methods.registry import flatten_settings, make_config

TRIALS = 20
"""Configurations a method on the smallest grids; larger ones have to do with fewer."""
FEWER_TRIALS = ((1500, 6), (200, 10))
"""Beyond so many nodes, at most so many configurations a method."""
CITATION_TRIALS = ((10_000, 6), (0, 12))
"""The same for LFGCN on the citation graphs, where rivals at most choose how to count words."""
FIRST_SEEDS = (100,)
FINAL_SEEDS = (101, 102, 103)
"""None of them is among the seeds that are reported."""
FINALIST_EVERY = 5
"""One configuration of so many comes into the second round."""
Score = Callable[[Settings, int], tuple[float, float]]
"""Accuracy and negative loss on the validation nodes of settings under a seed."""

_WORDS: Space = {"feature_scaling": ("none", "presence")}
_TRAINED_WITHOUT_NETWORK = frozenset({"gmnn", "gmnn_uniform", "gmnn_preferential"})


def frozen_path(results: Path, dataset: str, contender: str) -> Path:
    """Return where the configuration of a method on a data set is kept."""
    return results / "frozen" / dataset / f"{contender}.json"


def freeze(contender: Contender, dataset: Dataset, results: Path, *, quick: bool) -> None:
    """Search on validation nodes and write the choice, unless it is frozen already.

    Equal budget: every searched method gets ``trial_limit`` configurations, its published one
    first, the rest spread evenly over its space by a seed that depends on nothing but its
    name. All are tried with one seed, the best fifth, if that is more than one, with three
    others, which decide. On the
    citation graphs rivals keep their published settings, but for how words are counted where
    there is a choice (``WORD_FREQUENCIES``). Where a split was published, only
    its training and validation nodes are searched on.
    """
    path = frozen_path(results, dataset.name, contender.key)
    if path.exists() or contender.based_on:
        return
    candidates = list_trials(contender, dataset.name, quick=quick)
    candidates = candidates[: trial_limit(dataset)]
    setting = "seeded" if dataset.published is None else "published"
    chosen = 0
    rounds: list[dict[str, Any]] = []
    if len(candidates) > 1:
        chosen, rounds = _choose(
            candidates, lambda trial, seed: validate(contender, dataset, setting, trial, seed)
        )
    content = {
        "dataset": dataset.name,
        "method": contender.key,
        "quick": quick,
        "search": {
            "setting": setting,
            "trials": candidates,
            "rounds": rounds,
        },
        "settings": _write_out(contender, candidates[chosen]),
    }
    replace_text(path, json.dumps(content, indent=1) + "\n")


def trial_limit(dataset: Dataset) -> int:
    """Return how many configurations a method is searched for among."""
    limits = CITATION_TRIALS if dataset.name in CITATION else FEWER_TRIALS
    return next((limit for n, limit in limits if dataset.graph.node_count > n), TRIALS)


def _write_out(contender: Contender, settings: Settings) -> Settings:
    """Return every setting of a network, so that a change of defaults changes no table."""
    if contender.method is None:
        return settings
    whole = flatten_settings(make_config(method=contender.method, **settings))
    return {name: value for name, value in whole.items() if name not in {"method", "seed"}}


def read_frozen(contender: Contender, dataset: str, results: Path) -> tuple[Settings, str]:
    """Return the frozen settings of a method and the hash of the file they come from.

    Raises: DatasetUnavailable if nothing was frozen: without it no test node is looked at.
    """
    source = contender.based_on or contender.key
    path = frozen_path(results, dataset, source)
    if not path.exists():
        raise DatasetUnavailable(f"{source} on {dataset} is not frozen yet")
    text = path.read_text(encoding="utf-8")
    settings: Settings = json.loads(text)["settings"]
    if contender.based_on:
        settings = {**settings, **contender.changes}
    return settings, hashlib.sha256(text.encode()).hexdigest()


def list_trials(contender: Contender, dataset: str, *, quick: bool) -> list[Settings]:
    """Return the configurations to compare, the published one first."""
    start, space = _start_and_space(contender, dataset)
    first = complete(contender, dataset, start, quick=quick)
    if quick or not space:
        return [first]
    if space.keys() == _WORDS.keys():
        return [first, {**first, "feature_scaling": "presence"}]
    generator = np.random.default_rng(crc32(contender.key.encode()))
    columns = {name: _spread(values, generator) for name, values in space.items()}
    drawn = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [first, *({**first, **changes} for changes in drawn)]


def _start_and_space(contender: Contender, dataset: str) -> tuple[Settings, Space]:
    """Return the settings that a search starts from and what it may change.

    A trained method that names no way to count words may choose one, where there are two.
    """
    start = contender.published(dataset)
    if dataset not in CITATION:
        return start, contender.space
    space = contender.citation_space
    if space:
        changes, own_space = contender.citation_on.get(dataset, ({}, {}))
        start = {**start, **CITATION_START, **contender.citation_changes, **changes}
        space = {**space, **own_space}
    may_choose = dataset in WORD_FREQUENCIES and "feature_scaling" not in start
    return start, {**space, **_WORDS} if may_choose and _is_trained(contender) else space


def complete(contender: Contender, dataset: str, settings: Settings, *, quick: bool) -> Settings:
    """Join what is equal for all to the settings of a trained method."""
    if not _is_trained(contender):
        return settings
    own = {name: settings[name] for name in _WORDS.keys() & settings.keys()}
    words = own if dataset in WORD_FREQUENCIES else {}
    return {**UNNAMED, **settings, **run_settings(dataset, quick=quick), **words}


def _is_trained(contender: Contender) -> bool:
    return contender.method is not None or contender.key in _TRAINED_WITHOUT_NETWORK


def _spread(values: tuple[Any, ...], generator: np.random.Generator) -> list[Any]:
    """Return one value a trial, each as often as any other, in random order."""
    order = generator.permutation(TRIALS - 1)
    start = int(generator.integers(len(values)))
    return [values[(start + int(place)) % len(values)] for place in order]


def _choose(candidates: list[Settings], score: Score) -> tuple[int, list[dict[str, Any]]]:
    """Return the position of the best candidate, and what both rounds of the search gave."""
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


def _merit(settings: Settings, seeds: tuple[int, ...], score: Score) -> list[float]:
    scores = [score(settings, seed) for seed in seeds]
    return [round(float(value), 6) for value in np.mean(scores, axis=0)]


def search_sizes(dataset: str, results: Path) -> list[int]:
    """Return how many configurations the searches on a data set compared, each number once."""
    sizes: set[int] = set()
    for path in (results / "frozen" / dataset).glob("*.json"):
        search = json.loads(path.read_text(encoding="utf-8"))["search"]
        sizes.update(len(stage["validation"]) for stage in search["rounds"][:1])
    return sorted(sizes - {0})
