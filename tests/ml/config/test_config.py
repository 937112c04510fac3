"""The settings of a training run."""

import json
import math
import re
from dataclasses import fields
from typing import Any, get_args

import pytest

from ml.config.config import MethodName, TrainingConfig, list_idle_settings
from ml.config.field import Interval, setting_of
from ml.errors import InvalidHyperparameter


def faults_of(**settings: Any) -> list[str]:
    with pytest.raises(InvalidHyperparameter) as caught:
        TrainingConfig(**settings)
    return [fault.where for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.0),
        ("alpha", 1.0),
        ("alpha", math.nan),
        ("sigma", -0.01),
        ("sigma", 1.01),
        ("gamma", 0.0),
        ("gamma", 1.01),
        ("filter_order", -1),
        ("layers", 0),
        ("dropout", 1.0),
        ("label_bridges", 0.0),
        ("drop_rate", 1.01),
        ("drop_top", 0.0),
        ("learning_rate", math.inf),
        ("seed", -1),
        ("seed", 2**32),
    ],
)
def test_a_value_outside_its_interval_is_refused(name: str, value: float) -> None:
    assert faults_of(**{name: value}) == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.999),
        ("sigma", 0),
        ("sigma", 1),
        ("gamma", 1),
        ("gamma", 0.001),
        ("filter_order", 0),
        ("dropout", 0.0),
        ("drop_rate", 0.0),
        ("drop_top", 1.0),
        ("patience", None),
    ],
)
def test_a_value_at_a_closed_end_or_absent_is_accepted(name: str, value: Any) -> None:
    assert getattr(TrainingConfig(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pooling", "median"),
        ("drop_edge", None),
        ("layers", 2.0),
        ("layers", True),
        ("alpha", "0.2"),
        ("alpha", None),
        ("filter_order", 1.5),
        ("output_skip", 1),
    ],
)
def test_a_value_of_the_wrong_type_or_choice_is_refused(name: str, value: Any) -> None:
    assert faults_of(**{name: value}) == [name]


def test_every_fault_is_reported_at_once() -> None:
    assert faults_of(alpha=2, pooling="median", layers=0) == ["alpha", "layers", "pooling"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("alpha", 2, "alpha: 2 is outside (0, 1)"),
        ("skip", "all", "skip: 'all' is not one of input, filtered, pooled, none"),
        ("patience", 1.5, "patience: 1.5 is not a whole number or null"),
        ("layers", True, "layers: True is not a whole number"),
        ("seed", 2**32, "seed: 4294967296 is outside [0, 4294967295]"),
    ],
)
def test_a_fault_says_what_would_be_right(name: str, value: Any, message: str) -> None:
    with pytest.raises(InvalidHyperparameter, match=re.escape(message)):
        TrainingConfig(**{name: value})


def test_an_order_given_replaces_that_of_the_paper() -> None:
    assert TrainingConfig(alpha=0.9).taylor_order == 4
    assert TrainingConfig(alpha=0.9, filter_order=7).taylor_order == 7


@pytest.mark.parametrize(
    ("nodes", "rates"), [(118, (0.01, 0.02)), (1999, (0.01, 0.02)), (2000, (0.05, 0.06))]
)
def test_drop_rates_follow_the_size_of_the_network(nodes: int, rates: tuple[float, float]) -> None:
    assert TrainingConfig().drop_rates(nodes) == rates


def test_drop_rates_given_replace_those_of_the_paper_one_by_one() -> None:
    assert TrainingConfig(drop_rate=0.3).drop_rates(118) == (0.3, 0.02)
    assert TrainingConfig(drop_top=0.3).drop_rates(118) == (0.01, 0.3)


def test_the_dictionary_is_plain_json_and_makes_the_same_configuration() -> None:
    config = TrainingConfig(alpha=0.3, patience=None, drop_edge="uniform")
    assert TrainingConfig(**json.loads(json.dumps(config.as_dict()))) == config


def test_every_setting_is_described_and_every_number_has_an_interval() -> None:
    for field in fields(TrainingConfig):
        told = setting_of(field)
        assert told.description.endswith("."), field.name
        default: Any = field.default
        if isinstance(default, float | int) and not isinstance(default, bool):
            assert told.interval is not None, field.name
            assert told.interval.holds(default), field.name
        assert set(told.only) <= set(get_args(MethodName)), field.name


@pytest.mark.parametrize("text", ["0, 1", "[0 1]", "(a, b)", "[0,1]"])
def test_what_is_not_an_interval_is_not_taken_for_one(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of float or ours
        Interval.parse(text)


def test_settings_of_another_method_are_idle_when_changed() -> None:
    assert list_idle_settings({"method": "gcn", "members": 8, "gamma": 0.5}) == ["gamma", "members"]
    assert list_idle_settings({"method": "gcn", "members": 4, "width": 8}) == []
    assert list_idle_settings({"method": "lfgcn_plus", "members": 8, "gamma": 0.5}) == []
    assert list_idle_settings({"members": 8}) == ["members"]
    assert list_idle_settings(TrainingConfig(method="mlp").as_dict()) == []
