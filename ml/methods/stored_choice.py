"""The arrays of a stored automatic choice: those of the whole, and those of its members."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ml.artifact.artifact import Tensors
from ml.artifact.schema import ArraySpecs, ModelSizes, list_share_faults, list_spec_faults
from ml.artifact.trees import list_tree_faults
from ml.errors import Fault, InvalidHyperparameter
from ml.methods.auto import HELD_OUT, REFITTED
from ml.methods.registry import METHODS, make_config

_FORESTS = ("forest", "extra_trees")
_TABULAR = (*_FORESTS, "logistic", "nearest")
_FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class StoredMember:
    """One member of a stored choice, as its manifest names it."""

    family: str
    method: str
    settings: Mapping[str, Any]


def list_choice_faults(
    members: Sequence[StoredMember], tensors: Tensors, sizes: ModelSizes, labels: int
) -> Iterator[Fault]:
    """Yield what is wrong with the arrays of an automatic choice made from so many labels."""
    whole: ArraySpecs = {
        REFITTED: ("float64", (sizes.nodes, sizes.classes)),
        HELD_OUT: ("float64", (labels, sizes.classes)),
    }
    prefixes = tuple(f"members.{position}." for position in range(len(members)))
    own = {name: value for name, value in tensors.items() if not name.startswith(prefixes)}
    wrong = list(list_spec_faults(own, whole))
    yield from wrong
    unsound = {fault.where for fault in wrong}
    for name in whole:
        if name not in unsound:
            yield from list_share_faults(tensors, name)
    for position, (member, prefix) in enumerate(zip(members, prefixes, strict=True)):
        arrays = {
            name.removeprefix(prefix): value
            for name, value in tensors.items()
            if name.startswith(prefix)
        }
        for fault in _list_member_faults(member, arrays, sizes, labels):
            is_setting = fault.where.startswith(("method", "settings"))
            place = f"manifest.selection.members.{position}." if is_setting else prefix
            yield Fault(f"{place}{fault.where}", fault.problem)


def _list_member_faults(
    member: StoredMember, arrays: Tensors, sizes: ModelSizes, labels: int
) -> Iterator[Fault]:
    if member.family == "network":
        yield from _list_network_faults(member, arrays, sizes)
    elif member.family == "propagation":
        yield from list_spec_faults(arrays, {"scores": ("float64", (sizes.nodes, sizes.classes))})
    elif member.method not in _TABULAR:
        yield Fault("method", f"is not one of {', '.join(_TABULAR)}")
    else:
        yield from _list_tabular_faults(member, arrays, sizes, labels)


def _list_tabular_faults(
    member: StoredMember, arrays: Tensors, sizes: ModelSizes, labels: int
) -> Iterator[Fault]:
    specs = _tabular_specs(member.method, sizes, labels)
    if set(arrays) == {"label"}:
        specs = {"label": ("int64", (1,))}  # the only class that was known
    wrong = list(list_spec_faults(arrays, specs))
    if wrong:
        yield from wrong
        return
    if member.method in _FORESTS and "roots" in arrays:
        yield from list_share_faults(arrays, "shares")
        yield from list_tree_faults(arrays, _most_columns(member.settings.get("parts"), sizes))
    for name in {"label", "labels"} & set(arrays):
        if (arrays[name] < 0).any() or (arrays[name] >= sizes.classes).any():
            yield Fault(name, f"names a class outside the {sizes.classes} of the model")


def _tabular_specs(method: str, sizes: ModelSizes, labels: int) -> ArraySpecs:
    if method == "logistic":
        shape = (sizes.classes, None)
        return {"weights": ("float64", shape), "bias": ("float64", (sizes.classes,))}
    if method == "nearest":
        return {"rows": ("float64", (labels, None)), "labels": ("int64", (labels,))}
    links: ArraySpecs = dict.fromkeys(("feature", "left", "right", "roots"), ("int32", (None,)))
    return links | {
        "threshold": ("float64", (None,)),
        "shares": ("float64", (None, sizes.classes)),
    }


def _most_columns(parts: Any, sizes: ModelSizes) -> int:
    """Return the largest number of columns that the named parts can have."""
    names = parts if isinstance(parts, list | tuple) else ()
    special = {"places": 2, "scores": 2 * sizes.classes}
    return sum(special.get(str(name), sizes.features + 1) for name in names)


def _list_network_faults(
    member: StoredMember, arrays: Tensors, sizes: ModelSizes
) -> Iterator[Fault]:
    method = METHODS.get(member.method)
    if method is None or not method.is_network:
        yield Fault("method", "is not a network of this version")
        return
    given = {name: value for name, value in member.settings.items() if name != "stops"}
    try:
        settings = make_config(**{**given, "method": member.method})
    except InvalidHyperparameter as error:
        for fault in error.faults:
            yield Fault(f"settings.{fault.where[:40]}", fault.problem)
        return
    if method.list_arrays is not None:
        yield from list_spec_faults(arrays, method.list_arrays(settings, sizes))
        return
    for name, value in arrays.items():
        if str(value.dtype) not in _FLOATS:
            yield Fault(name[:100], f"is {value.dtype}, expected one of {', '.join(_FLOATS)}")
