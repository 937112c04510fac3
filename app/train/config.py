"""The settings of a training run as they come over the wire."""

from collections.abc import Mapping
from dataclasses import Field, fields
from difflib import get_close_matches
from typing import Any, get_type_hints

from pydantic import ConfigDict, create_model
from pydantic import Field as SchemaField

from ml import TrainingConfig
from ml.config.config import list_idle_settings
from ml.config.field import setting_of
from ml.errors import Fault, InvalidHyperparameter

_NAMES = tuple(field.name for field in fields(TrainingConfig))
_LONGEST_PROBLEM = 200


def parse_config(given: dict[str, Any]) -> tuple[TrainingConfig, list[Fault]]:
    """Return the settings and everything that is wrong with what was given.

    If anything is wrong, the settings are the defaults.
    """
    unknown = [_unknown(name) for name in given if name not in _NAMES]
    try:
        return TrainingConfig(**{name: given[name] for name in _NAMES if name in given}), unknown
    except InvalidHyperparameter as error:
        return TrainingConfig(), [*unknown, *map(_place, error.faults)]


def is_setting(name: object) -> bool:
    """Tell whether ``config`` of a training request takes this name."""
    return name in _NAMES


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of the settings, for the documentation of the API."""
    hints = get_type_hints(TrainingConfig)
    members: dict[str, Any] = {
        each.name: (hints[each.name], _schema_field(each)) for each in fields(TrainingConfig)
    }
    model = create_model("TrainingConfig", __config__=ConfigDict(extra="forbid"), **members)
    return model.model_json_schema()


def warn_of_idle_settings(config: Mapping[str, Any]) -> list[str]:
    """Say which settings were changed though they do nothing with the method chosen."""
    idle = list_idle_settings(config)
    if not idle:
        return []
    verb = "has" if len(idle) == 1 else "have"
    return [f"{', '.join(idle)} {verb} no effect with method {config['method']!r}."]


def _schema_field(each: Field[Any]) -> Any:
    told = setting_of(each)
    heeded = f" Heeded by {' and '.join(told.only)} only." if told.only else ""
    bounds: dict[str, Any] = {}
    if told.interval is not None:
        low, high = told.interval.low, told.interval.high
        bounds["ge" if told.interval.has_low else "gt"] = low
        bounds["le" if told.interval.has_high else "lt"] = high
    return SchemaField(each.default, description=told.description + heeded, **bounds)


def _unknown(name: str) -> Fault:
    close = get_close_matches(name, _NAMES, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return Fault(f"config.{name[:40]}", f"is not a setting{hint}")


def _place(fault: Fault) -> Fault:
    return Fault(f"config.{fault.where}", fault.problem[:_LONGEST_PROBLEM])
