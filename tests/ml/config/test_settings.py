"""The settings of a training run."""

import json
import math
import re
from typing import Any

import pytest

from ml.config.field import Interval, list_fields, setting_of
from ml.config.levy import LfgcnSettings
from ml.errors import InvalidHyperparameter
from ml.methods.registry import (
    METHODS,
    change_settings,
    flatten_settings,
    list_ignored_settings,
    make_config,
    read_settings,
)


def faults_of(**settings: Any) -> list[str]:
    with pytest.raises(InvalidHyperparameter) as caught:
        make_config(**settings)
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
    assert getattr(make_config(**{name: value}), name) == value


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
    assert faults_of(alpha=2, pooling="median", layers=0) == ["alpha", "pooling", "layers"]


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
        make_config(**{name: value})


def test_an_order_given_replaces_that_of_the_paper() -> None:
    assert LfgcnSettings(alpha=0.9).taylor_order == 4
    assert LfgcnSettings(alpha=0.9, filter_order=7).taylor_order == 7


@pytest.mark.parametrize(
    ("nodes", "rates"), [(118, (0.01, 0.02)), (1999, (0.01, 0.02)), (2000, (0.05, 0.06))]
)
def test_drop_rates_follow_the_size_of_the_network(nodes: int, rates: tuple[float, float]) -> None:
    assert make_config().drop_rates(nodes) == rates


def test_drop_rates_given_replace_those_of_the_paper_one_by_one() -> None:
    assert make_config(drop_rate=0.3).drop_rates(118) == (0.3, 0.02)
    assert make_config(drop_top=0.3).drop_rates(118) == (0.01, 0.3)


def test_the_stored_form_is_plain_json_and_makes_the_same_settings() -> None:
    config = make_config(alpha=0.3, patience=None, drop_edge="uniform")
    assert make_config(**json.loads(json.dumps(flatten_settings(config)))) == config


@pytest.mark.parametrize("key", sorted(METHODS))
def test_every_setting_is_described_and_every_number_has_a_range(key: str) -> None:
    for field in list_fields(METHODS[key].settings):
        documentation = setting_of(field)
        assert documentation.description.endswith("."), field.name
        default: Any = field.default
        if isinstance(default, float | int) and not isinstance(default, bool):
            assert documentation.interval is not None, field.name
            assert documentation.interval.holds(default), field.name


@pytest.mark.parametrize("key", sorted(key for key in METHODS if METHODS[key].offered))
def test_the_settings_of_every_offered_method_survive_being_stored(key: str) -> None:
    settings = METHODS[key].settings(seed=7)
    assert read_settings(json.loads(json.dumps(flatten_settings(settings)))) == settings


def test_a_network_stores_every_setting_under_the_names_of_the_first_format() -> None:
    stored = flatten_settings(make_config(method="gcn", parallel_paths=3))
    assert len(stored) == 43
    assert stored["branches"] == 3
    assert "parallel_paths" not in stored


def test_the_older_name_of_a_setting_is_accepted() -> None:
    assert make_config(branches=3) == make_config(parallel_paths=3)
    assert change_settings(make_config(branches=3), {"parallel_paths": 5}) == make_config(
        branches=5
    )


def test_an_unknown_setting_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InvalidHyperparameter, match="did you mean 'gamma'"):
        make_config(gama=0.5)


def test_a_method_that_does_not_exist_is_refused_with_the_other_faults() -> None:
    assert faults_of(method="os.system", alpha=7) == ["method", "alpha"]
    assert faults_of(method=7) == ["method"]


@pytest.mark.parametrize("text", ["0, 1", "[0 1]", "(a, b)", "[0,1]"])
def test_what_is_not_an_interval_is_not_taken_for_one(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of float or ours
        Interval.parse(text)


def test_settings_of_another_method_are_ignored_when_changed() -> None:
    ignored = list_ignored_settings
    assert ignored({"method": "gcn", "members": 8, "gamma": 0.5}) == ["gamma", "members"]
    assert ignored({"method": "gcn", "members": 4, "width": 8}) == []
    assert ignored({"method": "lfgcn_plus", "members": 8, "gamma": 0.5}) == []
    assert ignored({"members": 8}) == ["members"]
    assert ignored(flatten_settings(make_config(method="mlp"))) == []
    assert ignored(flatten_settings(make_config(method="mlp", gamma=0.5))) == ["gamma"]


def test_ignored_settings_are_checked_as_well() -> None:
    assert faults_of(method="gcn", gamma=7) == ["gamma"]
