"""Which labelled buses a training job learns from and which it is judged on."""

from collections.abc import Iterator, Mapping

import numpy as np

from app.grid.grid import Grid, LabelSet
from app.models.schemas import SplitIn
from ml import UNLABELLED, Split, check_fractions, random_split, stratified_split
from ml.arrays import IntArray
from ml.errors import Fault, InvalidSplit

_PARTS = ("train", "validation", "test")
_MOST_NAMED = 5


def draw_known(grid: Grid, labels: IntArray, split: SplitIn | None) -> Split:
    """Return the buses whose labels the automatic choice may use, and those it is tested on.

    Without a split all labels are used; with one those of its training and validation buses.
    Raises: InvalidSplit.
    """
    nothing = np.zeros(0, dtype=np.int64)
    if split is None:
        return Split(np.flatnonzero(labels != UNLABELLED), nothing, nothing)
    drawn = draw_split(grid, labels, split)
    return Split(np.concatenate([drawn.train, drawn.validation]), nothing, drawn.test)


def draw_split(grid: Grid, labels: IntArray, split: SplitIn | None) -> Split:
    """Divide the labelled buses as requested, stratified by default. Raises: InvalidSplit."""
    split = split or SplitIn()
    if split.is_listed:
        return _look_up(grid, labels, split)
    draw = stratified_split if split.kind == "stratified" else random_split
    first, second, third = split.fractions
    return draw(labels, split.seed, (first, second, third))


def list_split_faults(
    grid: Grid, label_set: LabelSet, request: SplitIn | None, *, automatic: bool
) -> list[Fault]:
    """Return every fault of a split; a network needs buses in all three parts."""
    labels = label_set.classes
    classes = np.unique(labels[labels != UNLABELLED])
    if len(classes) < 2:
        problem = f"{label_set.name!r} has {len(classes)} class(es); at least two are needed"
        return [Fault("label", problem)]
    if request is None:
        return []
    try:
        split = draw_split(grid, labels, request)
    except InvalidSplit as error:
        return [_place(fault) for fault in error.faults]
    if automatic and request.is_listed:
        return list(_class_faults(labels[np.concatenate([split.train, split.validation])]))
    count = int(np.count_nonzero(labels != UNLABELLED))
    why = "a network needs one" if request.is_listed else f"{count} labelled buses are too few"
    return [
        Fault(f"split.{part}" if request.is_listed else "split", f"the {part} part is empty: {why}")
        for part in ("validation", "test")
        if len(getattr(split, part)) == 0
    ]


def list_fraction_faults(request: SplitIn) -> list[Fault]:
    """Return the faults of a split that do not depend on the labels."""
    try:
        check_fractions(request.fractions)
    except InvalidSplit as error:
        return [_place(fault) for fault in error.faults]
    return []


def _class_faults(known: IntArray) -> Iterator[Fault]:
    if len(np.unique(known)) < 2:
        yield Fault("split.train", "its buses have one class only; at least two are needed")


def _place(fault: Fault) -> Fault:
    return (
        fault if fault.where.startswith("split") else Fault(f"split.{fault.where}", fault.problem)
    )


def _look_up(grid: Grid, labels: IntArray, split: SplitIn) -> Split:
    """Return the listed buses as positions. Raises: InvalidSplit naming every bad id."""
    faults: list[Fault] = []
    if split.kind == "random" or "fractions" in split.model_fields_set:
        faults.append(Fault("split", "give either lists of buses or how to draw them, not both"))
    places = {bus_id: position for position, bus_id in enumerate(grid.bus_ids)}
    found = {
        part: _find(places, labels, part, ids or [], faults) for part, ids in split.lists.items()
    }
    if not found["train"] and not faults:
        faults.append(Fault("split.train", "no training bus is given"))
    owners: dict[int, str] = {}
    for part in _PARTS:
        for place in found[part]:
            if owners.setdefault(place, part) != part:
                twice = f"bus {grid.bus_ids[place]!r} is also in {owners[place]}"
                faults.append(Fault(f"split.{part}", twice))
    if faults:
        raise InvalidSplit(faults)
    return Split(*(np.array(found[part], dtype=np.int64) for part in _PARTS))


def _find(
    places: Mapping[str, int], labels: IntArray, part: str, ids: list[str], faults: list[Fault]
) -> list[int]:
    found = sorted({places[bus_id] for bus_id in ids if bus_id in places})
    unknown = [bus_id for bus_id in ids if bus_id not in places]
    unlabelled = [bus_id for bus_id in ids if bus_id in places and labels[places[bus_id]] < 0]
    for named, problem in ((unknown, "no bus has the id"), (unlabelled, "no label is known of")):
        if named:
            shown = ", ".join(repr(one[:40]) for one in named[:_MOST_NAMED])
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            faults.append(Fault(f"split.{part}", f"{problem} {shown}{more}"))
    return found
