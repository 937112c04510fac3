"""Substations are placed at the town of their name, and namesakes are told apart by the grid."""

import numpy as np
import pytest

from app.ingest.cases.places import PLACED_CASES, load_places, name_substation
from app.ingest.cases.town_match import find_town, list_towns, place_substations
from app.ingest.cases.towns import group_buses
from app.ingest.formats.matpower.text import parse_text
from ml.arrays import FloatArray, IntArray
from tests.app.ingest.cases.test_places import measure_km

_KNOWN = [
    *(("ALPHA 1", (-89.0, 40.0)), ("ALPHA 2", (-89.1, 40.0)), ("BETA", (-89.2, 40.1))),
    *(("GAMMA", (-89.1, 40.2)), ("SALEM 1", (-70.9, 42.5)), ("SALEM 2", (-89.3, 40.3))),
    *(("MOUNT ZION", (-89.4, 40.1)), ("FAR AWAY", (-120.0, 45.0))),
]
_CHAIN = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])


def _place(names: list[str]) -> dict[str, tuple[float, ...] | None]:
    """The places of a chain of substations; None for one that is not at a town of its name."""
    links = _CHAIN[: len(names) - 1]
    found = place_substations(names, links, list_towns(_KNOWN))
    rows = zip(names, found.coordinates.tolist(), found.named.tolist(), strict=True)
    return {name: tuple(np.round(place, 6)) if named else None for name, place, named in rows}


@pytest.mark.parametrize(
    ("name", "town"), [("MT. ZION 2", "MOUNTZION"), ("PEORIA 8", "PEORIA"), ("7", "")]
)
def test_numbers_dots_and_abbreviations_are_no_part_of_a_town(name: str, town: str) -> None:
    assert find_town(name) == town


def test_substations_near_each_other_are_one_town_and_others_are_namesakes() -> None:
    towns = list_towns(_KNOWN)
    assert towns["ALPHA"].tolist() == [[-89.05, 40.0]]
    assert sorted(towns["SALEM"].tolist()) == [[-89.3, 40.3], [-70.9, 42.5]]


def test_of_two_towns_of_one_name_the_one_near_the_neighbours_is_taken() -> None:
    assert _place(["ALPHA 7", "SALEM 9", "BETA"])["SALEM 9"] == (-89.3, 40.3)


def test_a_namesake_far_from_the_neighbours_is_refused() -> None:
    names = ["ALPHA 1", "BETA", "FAR AWAY", "GAMMA", "MT ZION"]
    found = _place(names)
    assert found["FAR AWAY"] is None
    assert found["MT ZION"] == (-89.4, 40.1)


def test_a_substation_without_a_town_is_in_the_middle_of_its_neighbours() -> None:
    names = ["BETA", "NOWHERE", "GAMMA", "ELSEWHERE", "LAST"]
    found = place_substations(names, _CHAIN[:4], list_towns(_KNOWN))
    assert found.named.tolist() == [True, False, True, False, False]
    assert found.coordinates[1].tolist() == pytest.approx([-89.15, 40.15])
    assert found.coordinates[4].tolist() == pytest.approx([-89.1, 40.2])


def test_a_grid_without_any_town_has_no_places() -> None:
    found = place_substations(["NOWHERE", "ELSEWHERE"], _CHAIN[:1], list_towns(_KNOWN))
    assert np.isnan(found.coordinates).all()


def _read_texas(folder: object) -> tuple[list[str], IntArray, FloatArray]:
    """Names, links and true places of the substations of ACTIVSg2000."""
    parsed = parse_text((folder / "case_ACTIVSg2000.m").read_bytes())  # type: ignore[operator]
    numbers = parsed.bus[:, 0].astype(np.int64)
    table = load_places()
    rows = np.searchsorted(table.buses, numbers + PLACED_CASES["case_ACTIVSg2000"])
    names, groups = group_buses(parsed.bus_names)
    first = np.unique(groups, return_index=True)[1]
    row_of = {int(number): row for row, number in enumerate(numbers)}
    ends = parsed.branch[:, :2].astype(np.int64).ravel().tolist()
    links = groups[[row_of[bus] for bus in ends]].reshape(-1, 2)
    return names, links, table.coordinates[table.substations[rows[first]]]


def test_texas_is_found_although_every_tenth_town_is_only_known_elsewhere(
    matpower_folder: object,
) -> None:
    """Known towns are those of Texas; each has a namesake 1,500 km away, some have only this."""
    names, links, true = _read_texas(matpower_folder)
    towns = sorted({find_town(name) for name in names})
    missing = set(towns[::10])
    known = [
        (name, place)
        for name, place in zip(names, true.tolist(), strict=True)
        if find_town(name) not in missing
    ]
    namesakes = [(town, (-80.0 + 0.01 * at, 40.0)) for at, town in enumerate(towns)]
    found = place_substations(names, links, list_towns([*known, *namesakes[::3]]))
    away = measure_km(found.coordinates, true)
    assert found.named.mean() > 0.85
    assert (away[found.named] > 100).mean() < 0.001
    assert np.median(away[~found.named]) < 30


def test_names_of_substations_are_those_of_buses_without_the_last_number() -> None:
    names, groups = group_buses(["A 1 0", "B 0", "A 1 1", "C"])
    assert names == ["A 1", "B", "C"] == [name_substation(name) for name in ("A 1 0", "B 0", "C")]
    assert groups.tolist() == [0, 1, 0, 2]
