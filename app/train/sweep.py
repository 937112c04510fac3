"""Checks a sweep together with its training request, and queues all its jobs."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.graphs.service import load_grid
from app.jobs.service import Origin
from app.storage.tables import JobRow
from app.sweeps.plan import count_trials, plan_trials
from app.sweeps.schemas import RangeIn, SweepIn
from app.sweeps.service import NewSweep, store_sweep
from app.train.config import parse_network
from app.train.request import TrainingRequest
from app.train.schemas import TrainIn
from app.train.service import check_request, list_memory_faults
from ml import NetworkSettings, change_settings, make_config
from ml.errors import Fault

_MOST_VALUES = 1000
"""Over all settings; checking one value takes a third of a millisecond."""


def enqueue_sweep(
    session: Session, body: TrainIn, faults: Sequence[Fault], request_id: str | None = None
) -> list[JobRow]:
    """Write a sweep with its jobs; the caller commits and then dispatches them.

    ``faults`` come from ``list_sweep_faults``, called before the transaction was opened. Grid,
    label, columns and split are the same for all jobs and are checked once.
    Raises: GraphNotFound, TrainingRejected with every fault.
    """
    sweep = body.sweep or SweepIn()
    bus_count = load_grid(session, body.graph_id).bus_count
    request = check_request(session, body, [*faults, *_list_too_large(sweep, bus_count)])
    requested = sweep.model_dump(mode="json", exclude_none=True)
    sweep_id = uuid4().hex
    new = NewSweep(
        id=sweep_id,
        label=request.label,
        request={
            "parameters": list(sweep.domains),
            "sweep": requested,
            "base": request.as_payload(),
        },
        payloads=[trial.as_payload() for trial in _list_requests(sweep, request, sweep_id)],
        origin=Origin(request.graph_id, body.priority, request_id),
    )
    return store_sweep(session, new)


def _list_requests(
    sweep: SweepIn, base: TrainingRequest, sweep_id: str
) -> Iterator[TrainingRequest]:
    settings = base.config
    if not isinstance(settings, NetworkSettings):
        raise TypeError("a sweep varies the settings of a network")
    for trial in plan_trials(sweep, settings.seed):
        config = change_settings(settings, {**trial.parameters, "seed": trial.seed})
        yield replace(base, config=config, baseline_config=settings, sweep_id=sweep_id)


def list_sweep_faults(sweep: SweepIn, limit: int) -> Iterator[Fault]:
    """Yield the faults of a sweep of at most ``limit`` jobs that do not depend on its grid."""
    if (sweep.grid is None) == (sweep.search is None):
        yield Fault("sweep", "must have either grid or search")
        return
    place = _find_place(sweep)
    if not sweep.domains:
        yield Fault(place, "names no setting to vary")
    values = sum(map(_count_values, sweep.domains.values()))
    if values > _MOST_VALUES:
        yield Fault(place, f"has {values:,} values; at most {_MOST_VALUES:,} are allowed")
        return
    count = count_trials(sweep)
    if count > limit:
        yield Fault("sweep", f"creates {count:,} jobs; at most {limit:,} are allowed")
    for name, domain in sweep.domains.items():
        yield from _list_domain_faults(f"{place}.{name[:40]}", name, domain)
    if sweep.search is not None and sweep.search.budget < 1:
        yield Fault("sweep.search.budget", f"must be at least 1, not {sweep.search.budget}")
    yield from _list_seed_faults(sweep.seeds)


def _list_too_large(sweep: SweepIn, bus_count: int) -> Iterator[Fault]:
    operators = sweep.domains.get("operator", [])
    if isinstance(operators, list) and "dense" in operators:
        for fault in list_memory_faults(bus_count, make_config(operator="dense")):
            where = f"{_find_place(sweep)}.operator[{operators.index('dense')}]"
            yield Fault(where, fault.problem)


def _find_place(sweep: SweepIn) -> str:
    return "sweep.grid" if sweep.search is None else "sweep.search.space"


def _count_values(domain: Sequence[Any] | RangeIn) -> int:
    return 2 if isinstance(domain, RangeIn) else len(domain)


def _list_domain_faults(place: str, name: str, domain: Sequence[Any] | RangeIn) -> Iterator[Fault]:
    if name == "seed":
        yield Fault(place, "cannot be varied here; use sweep.seeds")
    elif isinstance(domain, RangeIn):
        for bound in ("low", "high"):
            yield from _list_value_faults(f"{place}.{bound}", name, getattr(domain, bound))
        yield from _list_range_faults(place, domain)
    else:
        if not domain:
            yield Fault(place, "is an empty list")
        for position, value in enumerate(domain):
            yield from _list_value_faults(f"{place}[{position}]", name, value)
        yield from _list_repeats(place, domain)


def _list_repeats(place: str, values: Sequence[Any]) -> Iterator[Fault]:
    seen = set()
    for position, value in enumerate(values):
        if not isinstance(value, Hashable):
            continue  # lists and objects are rejected by the check of the value
        if value in seen:
            yield Fault(f"{place}[{position}]", f"{value!r} is given more than once")
        seen.add(value)


def _list_value_faults(place: str, name: str, value: Any) -> Iterator[Fault]:
    _, faults = parse_network({name: value})
    for fault in faults:
        yield Fault(place, fault.problem)


def _list_range_faults(place: str, domain: RangeIn) -> Iterator[Fault]:
    if not domain.low < domain.high:
        yield Fault(place, f"low ({domain.low:g}) must be less than high ({domain.high:g})")
    if domain.log and domain.low <= 0:
        yield Fault(f"{place}.low", f"must be greater than 0 for log, not {domain.low:g}")


def _list_seed_faults(seeds: Sequence[int] | None) -> Iterator[Fault]:
    if seeds is None:
        return
    if not seeds:
        yield Fault("sweep.seeds", "is an empty list")
    for position, seed in enumerate(seeds):
        yield from _list_value_faults(f"sweep.seeds[{position}]", "seed", seed)
    yield from _list_repeats("sweep.seeds", seeds)
