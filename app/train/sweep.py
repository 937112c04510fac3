"""Check a sweep with its training request, and queue all its jobs at once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from app.graphs.service import load_grid
from app.jobs.service import Origin
from app.sweeps.plan import count_trials, plan_trials
from app.sweeps.schemas import RangeIn, SweepIn
from app.sweeps.service import NewSweep, store_sweep
from app.tables import JobRow
from app.train.config import parse_config
from app.train.request import TrainingRequest
from app.train.schemas import TrainIn
from app.train.service import check_request, list_memory_faults
from ml.errors import Fault


def enqueue_sweep(
    session: Session, body: TrainIn, limit: int, request_id: str | None = None
) -> list[JobRow]:
    """Write a sweep with its jobs; the caller commits and then dispatches them.

    Grid, label, columns and split are the same for all and checked once.
    Raises: GraphNotFound, TrainingRejected naming every fault.
    """
    sweep = body.sweep or SweepIn()
    bus_count = load_grid(session, body.graph_id).bus_count
    request = check_request(session, body, _list_faults(sweep, limit, bus_count))
    asked = sweep.model_dump(mode="json", exclude_none=True)
    new = NewSweep(
        label=request.label,
        request={"parameters": list(sweep.domains), "sweep": asked, "base": request.as_payload()},
        payloads=[one.as_payload() for one in _list_requests(sweep, request)],
        origin=Origin(request.graph_id, body.priority, request_id),
    )
    return store_sweep(session, new)


def _list_requests(sweep: SweepIn, base: TrainingRequest) -> Iterator[TrainingRequest]:
    for trial in plan_trials(sweep, base.config.seed):
        config = replace(base.config, **trial.parameters, seed=trial.seed)
        yield replace(base, config=config, baseline_config=base.config)


def _list_faults(sweep: SweepIn, limit: int, bus_count: int) -> Iterator[Fault]:
    if (sweep.grid is None) == (sweep.search is None):
        yield Fault("sweep", "needs either grid or search")
        return
    place = "sweep.grid" if sweep.search is None else "sweep.search.space"
    if not sweep.domains:
        yield Fault(place, "varies nothing")
    for name, domain in sweep.domains.items():
        yield from _list_domain_faults(f"{place}.{name[:40]}", name, domain, bus_count)
    if sweep.search is not None and sweep.search.budget < 1:
        yield Fault("sweep.search.budget", f"{sweep.search.budget} is less than 1")
    yield from _list_seed_faults(sweep.seeds)
    count = count_trials(sweep)
    if count > limit:
        yield Fault("sweep", f"makes {count:,} jobs; at most {limit:,} are allowed")


def _list_domain_faults(
    place: str, name: str, domain: Sequence[Any] | RangeIn, bus_count: int
) -> Iterator[Fault]:
    if name == "seed":
        yield Fault(place, "is varied by sweep.seeds")
    elif isinstance(domain, RangeIn):
        for bound in ("low", "high"):
            yield from _list_value_faults(f"{place}.{bound}", name, getattr(domain, bound))
        yield from _list_range_faults(place, domain)
    else:
        if not domain:
            yield Fault(place, "has no value")
        for position, value in enumerate(domain):
            where = f"{place}[{position}]"
            yield from _list_value_faults(where, name, value, bus_count)
            if any(value == other for other in domain[:position]):
                yield Fault(where, f"{value!r} is given more than once")


def _list_value_faults(place: str, name: str, value: Any, bus_count: int = 0) -> Iterator[Fault]:
    config, faults = parse_config({name: value})
    for fault in [*faults, *list_memory_faults(bus_count, config)]:
        yield Fault(place, fault.problem)


def _list_range_faults(place: str, domain: RangeIn) -> Iterator[Fault]:
    if not domain.low < domain.high:
        yield Fault(place, f"low {domain.low:g} is not below high {domain.high:g}")
    if domain.log and domain.low <= 0:
        yield Fault(f"{place}.low", f"{domain.low:g} has no logarithm")


def _list_seed_faults(seeds: Sequence[int] | None) -> Iterator[Fault]:
    if seeds is None:
        return
    if not seeds:
        yield Fault("sweep.seeds", "has no seed")
    for position, seed in enumerate(seeds):
        yield from _list_value_faults(f"sweep.seeds[{position}]", "seed", seed)
        if seed in seeds[:position]:
            yield Fault(f"sweep.seeds[{position}]", f"{seed} is given more than once")
