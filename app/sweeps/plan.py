"""Plans the trials of a sweep: every combination of settings, or a seeded random sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from app.storage.documents import Config
from app.sweeps.schemas import RangeIn, SearchIn, SweepIn
from ml import find_field, is_setting


@dataclass(frozen=True)
class PlannedTrial:
    """One training run of a sweep: the varied settings and the seed."""

    parameters: Config
    seed: int


def count_trials(sweep: SweepIn) -> int:
    """Return the largest possible count of trials of a sweep, without planning them."""
    seeds = 1 if sweep.seeds is None else len(sweep.seeds)
    if sweep.search is not None:
        return sweep.search.budget * seeds
    return math.prod(len(values) for values in (sweep.grid or {}).values()) * seeds


def plan_trials(sweep: SweepIn, default_seed: int) -> list[PlannedTrial]:
    """Return the trials of a checked sweep; the seeds of one combination are adjacent."""
    if sweep.search is not None:
        combinations = _sample(sweep.search)
    else:
        grid = sweep.grid or {}
        combinations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    seeds = [default_seed] if sweep.seeds is None else sweep.seeds
    return [PlannedTrial(parameters, seed) for parameters in combinations for seed in seeds]


def _sample(search: SearchIn) -> list[Config]:
    """Draw a Latin hypercube sample: each setting has one value in each of ``budget`` intervals.

    Combinations that are equal, which happens with short lists of values, are kept once.
    """
    # Imported here: scipy.stats takes long to import and only a search needs it.
    from scipy.stats.qmc import LatinHypercube

    sampler = LatinHypercube(len(search.space), rng=np.random.default_rng(search.seed))
    columns = [
        _map_to_domain(name, domain, shares)
        for (name, domain), shares in zip(
            search.space.items(), sampler.random(search.budget).T, strict=True
        )
    ]
    distinct = dict.fromkeys(zip(*columns, strict=True))
    return [dict(zip(search.space, values, strict=True)) for values in distinct]


def _map_to_domain(
    name: str, domain: Sequence[Any] | RangeIn, shares: npt.NDArray[np.float64]
) -> list[Any]:
    """Map numbers of [0, 1) to the values of a domain."""
    if not isinstance(domain, RangeIn):
        return [domain[int(share * len(domain))] for share in shares]
    low, high = float(domain.low), float(domain.high)
    if _is_integer(name):
        return [_map_to_integer(domain, share) for share in shares]
    if domain.log:
        return [min(high, low * (high / low) ** share) for share in shares.tolist()]
    return [low + (high - low) * share for share in shares.tolist()]


def _is_integer(name: str) -> bool:
    hint = find_field(name).type if is_setting(name) else None
    return int in (hint, *get_args(hint))


def _map_to_integer(domain: RangeIn, share: float) -> int:
    """Give each integer an interval of the same width, on the scale of the domain."""
    low, above = float(domain.low), float(domain.high) + 1
    value = low * (above / low) ** share if domain.log else low + (above - low) * share
    return min(int(value), int(domain.high))
