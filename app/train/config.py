"""The settings of a training run as they come over the wire: names, types, then domains."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from typing import Any, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model

from ml import TrainingConfig
from ml.errors import Fault, InvalidHyperparameter


def parse_config(given: dict[str, Any]) -> tuple[TrainingConfig, list[Fault]]:
    """Return the settings and everything that is wrong with them, all at once.

    A setting with a fault keeps its default in the returned settings.
    """
    checks = _checks()
    faults = [_unknown(name) for name in given if name not in checks]
    sound: dict[str, Any] = {}
    for name in given.keys() & checks.keys():
        try:
            sound[name] = checks[name].validate_python(given[name])
        except ValidationError as error:
            faults.extend(_type_faults(name, error))
    config, outside = _apply_domains(sound)
    return config, sorted([*faults, *outside], key=lambda fault: fault.where)


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of the settings, for the documentation of the API."""
    defaults = TrainingConfig().as_dict()
    fields: dict[str, Any] = {
        name: (hint, defaults[name]) for name, hint in get_type_hints(TrainingConfig).items()
    }
    model = create_model("TrainingConfig", __config__=ConfigDict(extra="forbid"), **fields)
    return model.model_json_schema()


@cache
def _checks() -> dict[str, TypeAdapter[Any]]:
    strict = ConfigDict(strict=True)
    hints = get_type_hints(TrainingConfig)
    return {name: TypeAdapter(hint, config=strict) for name, hint in hints.items()}


def _unknown(name: str) -> Fault:
    close = get_close_matches(name, _checks(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return Fault(f"config.{name[:40]}", f"is not a setting{hint}")


def _type_faults(name: str, error: ValidationError) -> Iterator[Fault]:
    for detail in error.errors(include_url=False, include_context=False):
        if detail["type"] != "none_required":  # the other half of "int or null" says more
            yield Fault(f"config.{name}", detail["msg"])


def _apply_domains(sound: dict[str, Any]) -> tuple[TrainingConfig, list[Fault]]:
    try:
        return TrainingConfig(**sound), []
    except InvalidHyperparameter as error:
        faults = [Fault(f"config.{fault.where}", fault.problem) for fault in error.faults]
        outside = {fault.where for fault in error.faults}
        inside = {name: value for name, value in sound.items() if name not in outside}
        return TrainingConfig(**inside), faults
