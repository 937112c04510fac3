"""Each rule on places finds its defect."""

from dataclasses import replace

import numpy as np
import pytest

from app.checks.checked_grid import CheckedGrid, measure_km
from tests.app.checks.healthy import (
    LOW,
    TRANSFORMERS,
    change_grid,
    findings_of,
    make_healthy,
    rows_of,
)


def _move(bus: int, degrees: float) -> CheckedGrid:
    healthy = make_healthy()
    places = healthy.grid.coordinates.copy()
    places[bus, 0] += degrees
    return change_grid(healthy, coordinates=places)


def test_a_transformer_between_two_substations() -> None:
    substations = make_healthy().grid.substations
    assert substations is not None
    groups = substations.groups.copy()
    groups[LOW + 5] = groups[6]
    damaged = change_grid(make_healthy(), substations=replace(substations, groups=groups))
    assert rows_of(findings_of("transformer-across-substations", damaged)) == [[TRANSFORMERS[5]]]


def test_a_transformer_over_kilometres() -> None:
    (finding,) = findings_of("transformer-over-kilometres", _move(LOW + 5, 0.1))
    assert rows_of([finding]) == [[TRANSFORMERS[5]]]
    # one tenth of a degree at the equator
    assert finding.numbers["km"] == pytest.approx(11.12, abs=0.02)


def test_a_substation_spread_over_kilometres() -> None:
    (finding,) = findings_of("substation-spread", _move(LOW + 5, 0.1))
    assert finding.buses == ["H5", "L5"]
    assert finding.message == "substation 6 extends over 11.1 km"


def test_a_large_switchyard_is_sound() -> None:
    yard = _move(LOW + 5, 0.02)
    assert findings_of("substation-spread", yard) == []
    assert findings_of("transformer-over-kilometres", yard) == []


def test_buses_without_a_place_do_not_matter() -> None:
    places = make_healthy().grid.coordinates.copy()
    places[:7] = np.nan
    unplaced = change_grid(make_healthy(), coordinates=places)
    assert findings_of("substation-spread", unplaced) == []
    assert findings_of("transformer-over-kilometres", unplaced) == []


def test_distances_on_the_globe() -> None:
    """A quarter of the equator, and Berlin to Munich: 504 km by any atlas."""
    first = np.array([[0.0, 0.0], [13.405, 52.52]])
    second = np.array([[90.0, 0.0], [11.582, 48.135]])
    assert measure_km(first, second) == pytest.approx([10_007.5, 504.2], abs=0.5)
