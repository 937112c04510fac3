import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.grid.text_rules import (
    MOST_CHARACTERS,
    clean_grid_name,
    find_grid_name_problem,
    name_by_file,
)


@given(st.text(max_size=300))
def test_a_cleaned_name_has_no_problem_and_stays_as_it_is(text: str) -> None:
    name = clean_grid_name(text)
    assert clean_grid_name(name) == name
    assert len(name) <= MOST_CHARACTERS
    assert not name or find_grid_name_problem(name) is None


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("bell\a and\ttab.m", "bell and tab"),
        ("net.tar.gz", "net.tar"),
        (".hidden", ".hidden"),
        ("..", ""),
        ("C:\\grids\\net.m", "net"),
        ("-", ""),
        ("blob", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_file_is_cut_and_cleaned(file_name: str, name: str) -> None:
    assert name_by_file(file_name) == name
