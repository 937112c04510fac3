"""The search on validation nodes, and the file that freezes what it chose."""

import hashlib
import json
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ml.datasets.dataset import Dataset
from ml.errors import DatasetUnavailable
from ml.experiments.contenders import CITATION_START, Contender, Settings
from ml.experiments.protocol import CITATION, run_settings, validate

TRIALS = 6
TRIALS_ON_LARGE = 4
LARGE = 1500
"""Beyond this many nodes the budget of every method is ``TRIALS_ON_LARGE``."""
SEARCH_SEEDS = (0, 1)
MANY_NODES = 200
"""Beyond this many nodes one seed has to do for the search."""
_TRAINED_WITHOUT_NETWORK = frozenset({"gmnn", "gmnn_uniform", "gmnn_preferential"})


def frozen_path(results: Path, dataset: str, contender: str) -> Path:
    """Return where the configuration of a method on a data set is kept."""
    return results / "frozen" / dataset / f"{contender}.json"


def freeze(contender: Contender, dataset: Dataset, results: Path, *, quick: bool) -> None:
    """Search on validation nodes and write the choice, unless it is frozen already.

    Equal budget: every searched method gets ``TRIALS`` configurations, its published one
    first, the rest spread evenly over its space by a seed that depends on nothing but its
    name. On
    the citation graphs rivals keep their published settings. Where a split was published,
    only its training and validation nodes are searched on.
    """
    path = frozen_path(results, dataset.name, contender.key)
    if path.exists() or contender.based_on:
        return
    candidates = list_trials(contender, dataset.name, quick=quick)
    if dataset.graph.node_count > LARGE:
        candidates = candidates[:TRIALS_ON_LARGE]
    setting = "seeded" if dataset.published is None else "published"
    seeds = SEARCH_SEEDS[:1] if dataset.graph.node_count > MANY_NODES else SEARCH_SEEDS
    merits: list[list[float]] = []
    if len(candidates) > 1:
        merits = [_merit(contender, dataset, setting, trial, seeds) for trial in candidates]
    chosen = merits.index(max(merits)) if merits else 0
    content = {
        "dataset": dataset.name,
        "method": contender.key,
        "quick": quick,
        "search": {
            "setting": setting,
            "seeds": list(seeds),
            "trials": candidates,
            "validation": merits,
        },
        "settings": candidates[chosen],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


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
    start = contender.published()
    on_citation = dataset in CITATION
    if on_citation and contender.citation_space:
        start = {**start, **CITATION_START}
    first = complete(contender, dataset, start, quick=quick)
    space = contender.citation_space if on_citation else contender.space
    if quick or not space:
        return [first]
    generator = np.random.default_rng(crc32(contender.key.encode()))
    columns = {name: _spread(values, generator) for name, values in space.items()}
    drawn = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [first, *({**first, **changes} for changes in drawn)]


def complete(contender: Contender, dataset: str, settings: Settings, *, quick: bool) -> Settings:
    """Join what is equal for all to the settings of a trained method."""
    if contender.method is None and contender.key not in _TRAINED_WITHOUT_NETWORK:
        return settings
    return {**settings, **run_settings(dataset, quick=quick)}


def _spread(values: tuple[Any, ...], generator: np.random.Generator) -> list[Any]:
    """Return one value a trial, each as often as any other, in random order."""
    order = generator.permutation(TRIALS - 1)
    start = int(generator.integers(len(values)))
    return [values[(start + int(place)) % len(values)] for place in order]


def _merit(
    contender: Contender,
    dataset: Dataset,
    setting: str,
    settings: Settings,
    seeds: tuple[int, ...],
) -> list[float]:
    scores = [validate(contender, dataset, setting, settings, seed) for seed in seeds]
    return [round(float(value), 6) for value in np.mean(scores, axis=0)]


def search_sizes(dataset: str, results: Path) -> list[int]:
    """Return how many configurations the searches on a data set compared, each number once."""
    sizes = set()
    for path in (results / "frozen" / dataset).glob("*.json"):
        sizes.add(len(json.loads(path.read_text(encoding="utf-8"))["search"]["validation"]))
    return sorted(sizes - {0})
