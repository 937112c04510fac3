"""Every method, and the settings of a request turned into those of its method."""

from collections.abc import Mapping
from dataclasses import Field
from difflib import get_close_matches
from functools import cache
from typing import Any

from ml.arrays import SparseMatrix
from ml.config.field import list_faults, list_fields, list_stored_names, stored_name
from ml.config.levy import LfgcnPlusSettings
from ml.config.settings import MethodSettings, NetworkSettings
from ml.errors import Fault, InvalidHyperparameter
from ml.methods import (
    appnp,
    arma,
    auto,
    chebnet,
    closed_form,
    deepwalk,
    forest,
    gat,
    gcn,
    gcn_skip,
    gmnn,
    hand_rule,
    island_mlp,
    label_propagation,
    lfgcn,
    lfgcn_plus,
    lgcn,
    majority,
    mixhop,
    mlp,
    motifnet,
    one_rule,
    spagan,
    vpn,
)
from ml.methods.base import Method
from ml.methods.estimate import Estimate, Workload

DEFAULT_METHOD = "lfgcn"
METHODS: dict[str, Method] = {
    module.METHOD.key: module.METHOD
    for module in (
        majority,
        one_rule,
        label_propagation,
        closed_form,
        forest,
        hand_rule,
        deepwalk,
        mlp,
        gcn,
        lfgcn,
        lfgcn_plus,
        gcn_skip,
        chebnet,
        arma,
        gat,
        appnp,
        mixhop,
        vpn,
        lgcn,
        spagan,
        motifnet,
        island_mlp,
        gmnn,
        auto,
    )
}
"""By key; baselines come from cheap to expensive, so that a time limit drops the expensive."""

BASELINES = tuple(method for method in METHODS.values() if method.is_baseline)
NETWORKS = tuple(method for method in METHODS.values() if method.is_network)


def get_method(key: str) -> Method:
    """Return the method of that key. Raises: InvalidHyperparameter if there is none."""
    if key not in METHODS:
        raise InvalidHyperparameter([Fault("method", _describe_unknown_method(key))])
    return METHODS[key]


def make_config(**given: Any) -> NetworkSettings:
    """Return the settings of a trained network from a flat request.

    ``method`` selects the network, LFGCN by default. Settings of other networks are checked as
    well, have no effect and are listed in ``ignored``; older names of settings are accepted.
    Raises: InvalidHyperparameter naming every unknown setting and every wrong value.
    """
    key = given.pop("method", DEFAULT_METHOD)
    method = METHODS.get(key) if isinstance(key, str) else None
    faults = [Fault(name, describe_unknown(name)) for name in given if not is_setting(name)]
    if method is None or not method.is_network:
        faults.append(Fault("method", _describe_unknown_method(key)))
        raise InvalidHyperparameter([*faults, *list_faults(LfgcnPlusSettings, given)])
    faults.extend(list_faults(LfgcnPlusSettings, given))
    if faults:
        raise InvalidHyperparameter(faults)
    values = {find_field(name).name: value for name, value in given.items()}
    own = {one.name for one in list_fields(method.settings)}
    ignored = tuple(
        (stored, values[name])
        for stored, name in list_stored_names(LfgcnPlusSettings).items()
        if name in values and name not in own and values[name] != find_field(name).default
    )
    chosen = {name: value for name, value in values.items() if name in own}
    settings = method.settings(**chosen, ignored=ignored)  # type: ignore[call-arg]  # a network's
    assert isinstance(settings, NetworkSettings)  # noqa: S101 - is_network was checked
    return settings


def read_settings(config: Mapping[str, Any]) -> MethodSettings:
    """Return the settings of a stored model, of whichever method.

    Raises: InvalidHyperparameter if the method, a setting or a value is unknown.
    """
    method = get_method(str(config.get("method", DEFAULT_METHOD)))
    if method.is_network:
        return make_config(**config)
    names = {*list_stored_names(method.settings)}
    given = {name: value for name, value in config.items() if name != "method"}
    faults = [
        Fault(name[:40], f"is not a setting of {method.key}") for name in sorted({*given} - names)
    ]
    faults += [Fault(name, "is missing") for name in sorted(names - {*given})]
    faults += list_faults(method.settings, {k: v for k, v in given.items() if k in names})
    if faults:
        raise InvalidHyperparameter(faults)
    return method.settings.from_stored(given)


def change_settings(config: NetworkSettings, changes: Mapping[str, Any]) -> NetworkSettings:
    """Return the settings with some of them replaced, the method perhaps among them."""
    renamed = {
        stored_name(find_field(name)) if is_setting(name) else name: value
        for name, value in changes.items()
    }
    return make_config(**(flatten_settings(config) | renamed))


def flatten_settings(config: MethodSettings) -> dict[str, Any]:
    """Return the form that models, jobs and checkpoints store.

    A network stores every setting of every network; those without effect at their default.
    """
    if not isinstance(config, NetworkSettings):
        return config.as_dict()
    return {**_default_settings(), **config.as_dict()}


def list_ignored_settings(config: Mapping[str, Any]) -> list[str]:
    """Name the settings of a stored configuration that have no effect with its method."""
    try:
        settings = read_settings(config)
    except InvalidHyperparameter:
        return []
    if not isinstance(settings, NetworkSettings):
        return []
    return [find_field(name).name for name, _ in settings.ignored]


def list_users(name: str) -> list[str]:
    """Return the networks that use a setting; empty if all do."""
    users = [
        method.key
        for method in NETWORKS
        if name in {one.name for one in list_fields(method.settings)}
    ]
    return [] if len(users) == len(NETWORKS) else users


def is_setting(name: str) -> bool:
    """Return whether a network has a setting of this name, or of this older name."""
    return name in _fields_by_name()


def find_field(name: str) -> Field[Any]:
    """Return the definition of a network's setting by its name or older name."""
    return _fields_by_name()[name]


def describe_unknown(name: str) -> str:
    """Say that no network has this setting, and which one may have been meant."""
    close = get_close_matches(name, list(_fields_by_name()), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"is not a setting{hint}"


def estimate(
    adjacency: SparseMatrix,
    config: MethodSettings,
    features: int = 8,
    classes: int = 8,
    known: int = 0,
) -> Estimate:
    """Estimate memory and time of a run with ``known`` labels. Shapes: (N, N) symmetric sparse."""
    workload = Workload(adjacency, features, classes, known)
    return get_method(config.method).estimate(workload, config)


def _describe_unknown_method(key: object) -> str:
    return f"{key!r} is not one of {', '.join(method.key for method in NETWORKS)}"


@cache
def _fields_by_name() -> dict[str, Field[Any]]:
    definitions = list_fields(LfgcnPlusSettings)
    return {stored_name(one): one for one in definitions} | {one.name: one for one in definitions}


@cache
def _default_settings() -> Mapping[str, Any]:
    return LfgcnPlusSettings().as_dict()
