"""The settings of a training run as a request gives them."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, Literal

from pydantic import ConfigDict, create_model
from pydantic import Field as SchemaField

import ml
from ml.errors import Fault, InvalidHyperparameter

_LONGEST_PROBLEM = 200
_AUTO = "auto"
_AUTO_NAMES = {"method", "seed", "budget_seconds"}
_METHODS = (_AUTO, *(method.key for method in ml.NETWORKS))
METHOD_MEANING = (
    "`auto` chooses the best method by cross-validation and trains it on all labels; any other "
    "value trains that network. Default: `auto`; `lfgcn` if settings of a network are given."
)


def parse_config(
    given: dict[str, Any],
) -> tuple[ml.NetworkSettings | ml.AutoSettings, list[Fault]]:
    """Return the settings and every fault of the given ones.

    Without a method, and without settings of a network, the method is chosen automatically.
    If anything is wrong, the settings are the defaults.
    """
    if given.get("method", _AUTO if _AUTO_NAMES.issuperset(given) else None) != _AUTO:
        return parse_network(given)
    try:
        return _read_auto(given), []
    except InvalidHyperparameter as error:
        return ml.AutoSettings(), list(map(_place, error.faults))


def parse_network(given: dict[str, Any]) -> tuple[ml.NetworkSettings, list[Fault]]:
    """Return the settings of a network, LFGCN by default, and every fault of the given ones."""
    try:
        return ml.make_config(**given), []
    except InvalidHyperparameter as error:
        return ml.make_config(), list(map(_place, error.faults))


def is_setting(name: object) -> bool:
    """Return whether ``config`` of a training request accepts this name."""
    return name in _AUTO_NAMES or (isinstance(name, str) and ml.is_setting(name))


def _read_auto(given: dict[str, Any]) -> ml.AutoSettings:
    faults = [
        Fault(name, "is not used by the automatic choice; remove it, or name a method")
        if ml.is_setting(name)
        else Fault(name, ml.describe_unknown(name))
        for name in given
        if name not in _AUTO_NAMES
    ]
    values = {name: value for name, value in given.items() if name in {"seed", "budget_seconds"}}
    try:
        settings = ml.AutoSettings(**values)
    except InvalidHyperparameter as error:
        raise InvalidHyperparameter([*faults, *error.faults]) from error
    if faults:
        raise InvalidHyperparameter(faults)
    return settings


def list_definitions() -> tuple[Field[Any], ...]:
    """Return the definition of every setting of any network."""
    widest = max(ml.NETWORKS, key=lambda method: len(ml.list_fields(method.settings)))
    return ml.list_fields(widest.settings)


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of the settings, for the documentation of the API."""
    (budget,) = (one for one in ml.list_fields(ml.AutoSettings) if one.name == "budget_seconds")
    members: dict[str, Any] = {
        "method": (Literal[_METHODS], SchemaField("auto", description=METHOD_MEANING)),
        budget.name: (float | None, _schema_field(budget)),
    }
    widest = max(ml.NETWORKS, key=lambda method: len(ml.list_fields(method.settings)))
    types = ml.field_types(widest.settings)
    for one in list_definitions():
        members[one.name] = (types[one.name], _schema_field(one))
    model = create_model("TrainingConfig", __config__=ConfigDict(extra="forbid"), **members)
    return model.model_json_schema()


def warn_of_ignored_settings(config: Mapping[str, Any]) -> list[str]:
    """Name the settings that were changed but have no effect with the chosen method."""
    ignored = ml.list_ignored_settings(config)
    if not ignored:
        return []
    verb = "has" if len(ignored) == 1 else "have"
    return [f"{', '.join(ignored)} {verb} no effect with method {config['method']!r}."]


def _schema_field(one: Field[Any]) -> Any:
    documentation = ml.setting_of(one)
    users = [_AUTO] if one.name == "budget_seconds" else ml.list_users(one.name)
    used = f" Used by {', '.join(users)} only." if users else ""
    older = f" Also accepted as `{documentation.stored_as}`." if documentation.stored_as else ""
    bounds: dict[str, Any] = {}
    if documentation.interval is not None:
        low, high = documentation.interval.low, documentation.interval.high
        bounds["ge" if documentation.interval.has_low else "gt"] = low
        bounds["le" if documentation.interval.has_high else "lt"] = high
    description = documentation.description + used + older
    return SchemaField(one.default, description=description, **bounds)


def _place(fault: Fault) -> Fault:
    return Fault(f"config.{fault.where[:40]}", fault.problem[:_LONGEST_PROBLEM])
