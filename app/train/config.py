"""The settings of a training run as they come over the wire."""

from dataclasses import fields
from difflib import get_close_matches
from typing import Any, get_type_hints

from pydantic import ConfigDict, create_model

from ml import TrainingConfig
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


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of the settings, for the documentation of the API."""
    defaults = TrainingConfig().as_dict()
    members: dict[str, Any] = {
        name: (hint, defaults[name]) for name, hint in get_type_hints(TrainingConfig).items()
    }
    model = create_model("TrainingConfig", __config__=ConfigDict(extra="forbid"), **members)
    return model.model_json_schema()


def _unknown(name: str) -> Fault:
    close = get_close_matches(name, _NAMES, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return Fault(f"config.{name[:40]}", f"is not a setting{hint}")


def _place(fault: Fault) -> Fault:
    return Fault(f"config.{fault.where}", fault.problem[:_LONGEST_PROBLEM])
