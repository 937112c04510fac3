import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GridRejected, MalformedBody
from app.grid.report import ReadGrid
from app.ingest.json_source import read_json_source
from app.ingest.protocol import ReadLimits

LIMITS = ReadLimits(buses=100, branches=100)


def read(body: Any) -> ReadGrid:
    return read_json_source(json.dumps(body).encode(), LIMITS)


def faults_of(body: Any) -> list[str]:
    with pytest.raises(GridRejected) as caught:
        read(body)
    return [str(fault) for fault in caught.value.faults]


def grid_with(bus: dict[str, Any] | None = None, branch: dict[str, Any] | None = None) -> Any:
    """Two buses and a branch; the second bus and the branch take further fields."""
    return {
        "buses": [{"id": "1"} | (bus or {}), {"id": "2"}],
        "branches": [{"from": "1", "to": "2"} | (branch or {})],
    }


def test_numbers_and_texts_are_the_same_ids() -> None:
    body = {"buses": [{"id": 1}, {"id": "2"}], "branches": [{"from": "1", "to": 2}]}
    grid = read(body).grid
    assert grid.bus_ids == ("1", "2")
    assert grid.ends.tolist() == [[0, 1]]


def test_ids_stay_text() -> None:
    body = {"buses": [{"id": "007"}, {"id": "7"}], "branches": [{"from": "007", "to": 7}]}
    assert read(body).grid.ends.tolist() == [[0, 1]]


@pytest.mark.parametrize("field", ["id", "label"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_more_digits_than_a_number_may_have_are_a_text_too_long(field: str, sign: str) -> None:
    (fault,) = faults_of(grid_with({field: sign + "9" * 5000}) | {"branches": []})
    assert fault.startswith(f"buses[0].{field}")
    assert "characters" in fault


def test_a_branch_without_weight_and_kind_is_a_line_of_weight_one() -> None:
    grid = read(grid_with()).grid
    assert grid.weights.tolist() == [1.0]
    assert grid.kind_names == ("line",)


def test_kinds_are_kept() -> None:
    body = grid_with(branch={"kind": "transformer"})
    body["branches"].append({"from": "1", "to": "2"})
    grid = read(body).grid
    assert [grid.kind_names[kind] for kind in grid.kinds] == ["transformer", "line"]


def test_features_become_columns_in_the_order_they_appear() -> None:
    body = grid_with({"features": {"b": 1, "a": 2.5}})
    body["buses"][1]["features"] = {"a": 3, "b": 4}
    grid = read(body).grid
    assert grid.feature_names == ("b", "a")
    assert grid.features.tolist() == [[1, 2.5], [4, 3]]


def test_a_grid_without_features_gets_its_degrees_and_says_so() -> None:
    body = grid_with()
    body["branches"] += [{"from": "2", "to": "1"}, {"from": "2", "to": "2"}]
    result = read(body)
    assert result.grid.feature_names == ("degree",)
    assert result.grid.features.tolist() == [[2], [2]]
    assert any("degree" in note for note in result.report.notes)


def test_labels_may_be_partial_and_numbers() -> None:
    body = grid_with({"label": 10})
    body["buses"] += [
        {"id": "3", "label": 9},
        {"id": "4", "label": None},
        {"id": "5", "label": "x"},
    ]
    labels = read(body).label_sets[0]
    assert labels.name == "label"
    assert labels.class_names == ("9", "10", "x")
    assert labels.classes.tolist() == [1, -1, 0, -1, 2]


def test_a_grid_without_labels_has_no_label_set() -> None:
    assert read(grid_with({"label": None})).label_sets == ()


def test_coordinates_are_longitude_then_latitude() -> None:
    grid = read(grid_with({"lat": 50.5, "lon": -3.25})).grid
    assert grid.coordinate_system == "geographic"
    np.testing.assert_array_equal(grid.coordinates, [[-3.25, 50.5], [np.nan, np.nan]])


def test_names_find_their_buses() -> None:
    grid = read(grid_with({"name": "North"})).grid
    assert grid.find_buses("North") == [0]
    assert grid.bus_names == ("North", "")


@pytest.mark.parametrize(
    ("bus", "fault"),
    [
        ({"id": "2"}, "buses[1].id: '2' is also the id of buses[0]"),
        ({"id": ""}, "buses[0].id: is empty"),
        ({"id": " 1"}, "buses[0].id: begins or ends with a blank"),
        ({"id": "a\u0007"}, "buses[0].id: contains a control character"),
        ({"id": "x" * 201}, "buses[0].id: has more than 200 characters"),
        ({"id": True}, "buses[0].id: expected int | str, got bool"),
        ({"id": None}, "buses[0].id: expected int | str, got null"),
        ({"id": 1.5}, "buses[0].id: expected int | str, got float"),
        ({"name": 1}, "buses[0].name: expected str | null, got int"),
        ({"label": ""}, "buses[0].label: is empty"),
        ({"label": []}, "buses[0].label: expected int | str | null, got array"),
        ({"lat": 90.5, "lon": 0}, "buses[0].lat: 90.5 is not within ±90"),
        ({"lat": 0, "lon": -181}, "buses[0].lon: -181 is not within ±180"),
        ({"lat": 1}, "buses[0]: has only one of lat and lon"),
        ({"lat": "1", "lon": 1}, "buses[0].lat: expected float | null, got str"),
        ({"features": []}, "buses[0].features: is not a JSON object"),
        ({"features": {"a": None}}, "buses[0].features.a: expected float, got null"),
        ({"features": {"a": 1}}, "buses[1].features: lacks 'a', which other buses have"),
        ({"features": {"": 1}}, "buses: the feature name '' is empty"),
        ({"colour": 1}, "buses[0].colour: is not a field of this object"),
    ],
)
def test_a_wrong_bus_is_reported_with_its_fault(bus: dict[str, Any], fault: str) -> None:
    assert fault in faults_of(grid_with(bus))


@pytest.mark.parametrize(
    ("branch", "fault"),
    [
        ({"to": "3"}, "branches[0].to: there is no bus '3'"),
        ({"from": 3}, "branches[0].from: there is no bus '3'"),
        ({"to": None}, "branches[0].to: expected int | str, got null"),
        ({"weight": 0}, "branches[0].weight: 0 is not positive"),
        ({"weight": -2}, "branches[0].weight: -2 is not positive"),
        ({"weight": "2"}, "branches[0].weight: expected float | null, got str"),
        ({"kind": "x" * 41}, "branches[0].kind: has more than 40 characters"),
        ({"kind": 7}, "branches[0].kind: expected str | null, got int"),
        ({"id": 1}, "branches[0].id: is not a field of this object"),
    ],
)
def test_a_wrong_branch_is_reported_with_its_fault(branch: dict[str, Any], fault: str) -> None:
    assert faults_of(grid_with(branch=branch)) == [fault]


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({}, ["buses: is missing", "branches: is missing"]),
        ({"buses": []}, ["branches: is missing", "buses: is empty; a grid has at least one bus"]),
        ({"buses": {}, "branches": []}, ["buses: is not a list"]),
        ({"buses": [1], "branches": [2]}, ["buses[0]: is not a JSON object"]),
        ([], ["body: is not a JSON object"]),
        ({"case": 7}, ["case: expected str, got int"]),
        ({"case": "nope"}, ["case: is not a built-in case"]),
    ],
)
def test_faults_of_a_body_name_what_is_missing(body: Any, faults: list[str]) -> None:
    messages = faults_of(body)
    for fault in faults:
        assert any(message.startswith(fault) for message in messages)


def test_wrong_types_and_wrong_values_are_listed_together() -> None:
    body = grid_with({"label": True}, {"weight": -1})
    body["buses"].append({"id": "2"})
    assert len(faults_of(body)) == 3


def test_a_grid_with_too_many_features_or_classes_is_refused() -> None:
    wide = {f"f{column}": 0.0 for column in range(257)}
    body = {"buses": [{"id": "1", "features": wide}], "branches": []}
    assert faults_of(body) == ["buses: 257 features exceed the limit of 256"]


def test_invalid_json_is_malformed_not_rejected() -> None:
    with pytest.raises(MalformedBody):
        read_json_source(b'{"buses": [{"id": "1", "id": "2"}], "branches": []}', LIMITS)


def test_a_colon_inside_a_text_is_not_a_repeated_key() -> None:
    assert read(grid_with({"name": 'a: "b": {c:'})).grid.bus_names[0] == 'a: "b": {c:'


@pytest.mark.parametrize("number", [2**53, 1e300])
def test_large_exact_numbers_and_floats_are_accepted(number: float) -> None:
    body = {"buses": [{"id": "1", "features": {"a": number}}], "branches": []}
    assert read(body).grid.features[0, 0] == number


ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["id", "name", "features", "label", "lat", "lon", "from", "to", "weight", "kind"]
)
PARTS = st.lists(st.dictionaries(KEYS, ANY_VALUE, max_size=5) | ANY_VALUE, max_size=4)


@given(
    st.dictionaries(
        st.sampled_from(["buses", "branches", "case", "name"]), PARTS | ANY_VALUE, max_size=4
    )
)
def test_any_body_is_read_or_rejected_without_another_error(body: dict[str, Any]) -> None:
    with suppress(GridRejected, MalformedBody):
        assert read(body).grid.bus_count
