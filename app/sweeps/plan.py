"""From a sweep to the settings of its trials: every combination, or a seeded draw."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from app.sweeps.schemas import RangeIn, SearchIn, SweepIn
from ml import find_field, is_setting

Settings = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One training run of a sweep: what is varied, and the seed."""

    parameters: Settings
    seed: int


def count_trials(sweep: SweepIn) -> int:
    """Return the most trials that a sweep can have, without making them."""
    seeds = 1 if sweep.seeds is None else len(sweep.seeds)
    if sweep.search is not None:
        return sweep.search.budget * seeds
    return math.prod(len(values) for values in (sweep.grid or {}).values()) * seeds


def plan_trials(sweep: SweepIn, default_seed: int) -> list[Trial]:
    """Return the trials of a checked sweep, the seeds of one combination next to each other."""
    if sweep.search is not None:
        combinations = _draw(sweep.search)
    else:
        grid = sweep.grid or {}
        combinations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    seeds = [default_seed] if sweep.seeds is None else sweep.seeds
    return [Trial(parameters, seed) for parameters in combinations for seed in seeds]


def _draw(search: SearchIn) -> list[Settings]:
    """Draw a Latin hypercube: each setting visits every one of ``budget`` equal strata once.

    Combinations that come out equal, as they do among few values, are tried once.
    """
    generator = np.random.default_rng(search.seed)
    columns = {
        name: _spread(name, domain, _stratify(generator, search.budget))
        for name, domain in search.space.items()
    }
    different = dict.fromkeys(zip(*columns.values(), strict=True))
    return [dict(zip(columns, values, strict=True)) for values in different]


def _stratify(generator: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    return (generator.permutation(count) + generator.random(count)) / count


def _spread(
    name: str, domain: Sequence[Any] | RangeIn, shares: npt.NDArray[np.float64]
) -> list[Any]:
    """Lay shares of [0, 1) out over a domain."""
    if not isinstance(domain, RangeIn):
        return [domain[int(share * len(domain))] for share in shares]
    low, high = float(domain.low), float(domain.high)
    if _is_whole_number(name):
        # Each integer gets the same room; on a logarithmic scale, its share of it.
        return [_whole(domain, share) for share in shares]
    if domain.log:
        return [min(high, low * (high / low) ** share) for share in shares.tolist()]
    return [low + (high - low) * share for share in shares.tolist()]


def _is_whole_number(name: str) -> bool:
    hint = find_field(name).type if is_setting(name) else None
    return int in (hint, *get_args(hint))


def _whole(domain: RangeIn, share: float) -> int:
    low, above = float(domain.low), float(domain.high) + 1
    found = low * (above / low) ** share if domain.log else low + (above - low) * share
    return min(int(found), int(domain.high))
