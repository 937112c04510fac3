import time
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.grid.bus_search import BusIndex, fold_text, index_buses
from tests.app.grid.small_grids import make_grid

TEXTS = st.text(max_size=12)


@given(st.lists(TEXTS, min_size=3, max_size=3), TEXTS)
def test_a_search_finds_exactly_the_buses_that_contain_the_text(
    names: list[str], query: str
) -> None:
    grid = replace(make_grid(), aliases={"name": tuple(names)})
    found = BusIndex(grid).search(query).tolist()
    wanted = _fold(query)
    texts = zip(grid.bus_ids, names, strict=True)
    having = [bus for bus, pair in enumerate(texts) if any(wanted in _fold(one) for one in pair)]
    assert sorted(found) == (having if wanted else [])


def _fold(text: str) -> str:
    return fold_text(text.replace("\n", " "))


@given(TEXTS)
def test_suggestions_name_single_buses(query: str) -> None:
    grid = make_grid()
    for text in index_buses(grid).suggest(query):
        assert len(grid.find_buses(text)) == 1


def test_aliases_are_searched_after_names() -> None:
    aliases = {"index": ("index 7", "", ""), "name": ("", "", "index")}
    grid = replace(make_grid(), aliases=aliases)
    assert index_buses(grid).search("index").tolist() == [2, 0]
    assert index_buses(grid).search("7").tolist() == [0]


def test_the_index_of_a_grid_is_built_once() -> None:
    grid = make_grid()
    assert index_buses(grid) is index_buses(grid)
    assert index_buses(grid) is not index_buses(make_grid())


def test_searches_of_a_large_grid_are_fast() -> None:
    count = 82_000
    rng = np.random.default_rng(0)
    towns = ("CHICAGO", "HOUSTON", "NEW YORK", "SAN FRANCISCO", "EL PASO")
    ids = tuple(str(number) for number in range(1, count + 1))
    numbers = rng.integers(1, 400, (count, 2)).tolist()
    names = tuple(f"{towns[bus % 5]} {one} {two}" for bus, (one, two) in enumerate(numbers))
    small = make_grid()
    grid = replace(small, bus_ids=ids, aliases={"name": names}, substations=None, text_columns={})
    index = index_buses(grid)
    grid.find_buses("1")
    started = time.process_time()
    assert index.search("houston 12").size > 100
    assert time.process_time() - started < 0.5
    started = time.process_time()
    assert index.search("1").size > 50_000  # the worst case: nearly every bus
    assert time.process_time() - started < 2.0
    started = time.process_time()
    assert all("FRANCISCO" in text for text in index.suggest("san fransisco 12 1"))
    assert time.process_time() - started < 2.0
