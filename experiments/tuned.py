"""Tuned configurations, stored once and never searched for again.

The hash of a configuration stands in every cell that was run with it. It is computed from the JSON
text with an indent of one space, so equal content has an equal hash however the file stores it.
"""

import hashlib
import json
from pathlib import Path

from experiments.json_lines import Line, find_line, read_lines, update_line
from experiments.methods import MethodRow, SettingValues
from ml.errors import DatasetUnavailable

FILE_NAME = "tuned.jsonl"


def is_tuned(results: Path, dataset: str, method: str) -> bool:
    """Return whether a configuration of the method on the data set is stored."""
    return find_tuned(results, dataset, method) is not None


def find_tuned(results: Path, dataset: str, method: str) -> Line | None:
    """Return the stored search of a method on a data set with the settings that it chose."""
    return find_line(results / FILE_NAME, {"dataset": dataset, "method": method})


def store_tuned(results: Path, content: Line) -> None:
    """Store a finished search, unless another process has stored one for the same method."""
    key = {"dataset": content["dataset"], "method": content["method"]}
    update_line(results / FILE_NAME, key, lambda stored: content if stored is None else stored)


def hash_tuned(content: Line) -> str:
    """Return the SHA-256 of a stored configuration."""
    text = json.dumps(content, indent=1) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def read_tuned(row: MethodRow, dataset: str, results: Path) -> tuple[SettingValues, str]:
    """Return the tuned settings of a row and the hash of the configuration they come from.

    Raises: DatasetUnavailable if nothing was tuned: test nodes are used only after the search.
    """
    source = row.based_on or row.key
    content = find_tuned(results, dataset, source)
    if content is None:
        raise DatasetUnavailable(f"no tuned configuration of {source} on {dataset} is stored")
    settings: SettingValues = content["settings"]
    if row.based_on:
        settings = {**settings, **row.changes}
    return settings, hash_tuned(content)


def search_sizes(dataset: str, results: Path) -> list[int]:
    """Return how many configurations the searches on a data set compared, each number once."""
    sizes = {
        len(stage["validation"])
        for content in read_lines(results / FILE_NAME)
        if content["dataset"] == dataset
        for stage in content["search"]["rounds"][:1]
    }
    return sorted(sizes - {0})
