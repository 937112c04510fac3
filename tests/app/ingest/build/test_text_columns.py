"""Text columns of buses: those that group buses are kept and offered."""

from hypothesis import given
from hypothesis import strategies as st

from app.ingest.build.text_columns import MOST_TEXT_COLUMNS, choose_text_columns
from app.ingest.formats import csv_tables
from tests.app.ingest.requests import ask, report_of


def test_a_column_that_groups_buses_is_kept_with_its_gaps() -> None:
    (column,) = choose_text_columns({"operator": ["b", "", "a", "b ", "\ta"]}).values()
    assert column.values == ("a", "b")
    assert column.codes.tolist() == [1, -1, 0, 1, 0]
    assert (column.find_text(0), column.find_text(1)) == ("b", None)


def test_names_constants_long_texts_and_measurements_are_left_out() -> None:
    count = 60
    columns = {
        "name": [f"bus {at}" for at in range(count)],
        "constant": ["AC"] * count,
        "empty": [""] * count,
        "geometry": ["x" * 101, "y" * 101] * (count // 2),
        "length": [str(at // 2) for at in range(count)],
        "kept": ["a", "b"] * (count // 2),
    }
    assert list(choose_text_columns(columns)) == ["kept"]


def test_there_is_a_limit_to_the_number_of_columns() -> None:
    columns = {f"c{at}": ["a", "b", "a"] for at in range(MOST_TEXT_COLUMNS + 5)}
    assert len(choose_text_columns(columns)) == MOST_TEXT_COLUMNS


@given(st.lists(st.text(max_size=4), min_size=1, max_size=40))
def test_every_kept_text_is_the_text_of_the_bus(texts: list[str]) -> None:
    for column in choose_text_columns({"x": texts}).values():
        for bus, text in enumerate(texts):
            found = column.find_text(bus)
            assert found is None or found == text.strip()
        assert set(column.codes.tolist()) <= set(range(-1, len(column.values)))


def test_csv_offers_its_text_columns() -> None:
    request = ask("csv", "source,target\n1,2\n2,3\n3,4\n")
    request.files["buses"] = b"id,owner,Pd\n1,north,1\n2,south,2\n3,north,3\n4,,4\n"
    read = csv_tables.read(request)
    assert report_of(read)["text_columns"] == [
        {"name": "owner", "values": 2, "buses": 3, "most_common": {"north": 2, "south": 1}}
    ]
    assert read.grid.feature_names == ("Pd",)
