"""Whatever the bytes, readers of archives and netCDF give a sound grid or a refusal."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import Rejected
from app.ingest.formats import find_format
from app.ingest.formats.gridkit import network as gridkit
from app.ingest.formats.guards.zip_guard import find_base_name, list_entries, peek
from app.ingest.formats.pypsa import network as pypsa
from app.ingest.formats.simbench import network as simbench
from app.ingest.protocol import Request
from app.ingest.sandbox.run import run_reader
from tests.app.ingest.archives import (
    GRIDKIT,
    PYPSA,
    SIMBENCH,
    make_classic,
    make_netcdf,
    make_zip,
)
from tests.app.ingest.formats.test_reader_properties import (
    Reader,
    assert_sound,
    damage,
    edits_of_bytes,
)

ARCHIVES: dict[str, tuple[Reader, dict[str, str]]] = {
    "simbench": (simbench.read, SIMBENCH),
    "pypsa": (pypsa.read, PYPSA),
    "gridkit": (gridkit.read, GRIDKIT),
}
_Edits = list[tuple[int, int, bytes]]


def _check(reader: Reader, name: str, content: bytes) -> None:
    try:
        read = reader(Request(name, {"file": content}))
    except Rejected:
        return
    assert_sound(read)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_undamaged_archive_gives_a_sound_grid(name: str) -> None:
    reader, files = ARCHIVES[name]
    assert_sound(reader(Request(name, {"file": make_zip(files)})))


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(part=st.integers(0, 20), edits=st.lists(edits_of_bytes, min_size=1, max_size=5))
def test_a_damaged_table_is_read_soundly_or_refused(name: str, part: int, edits: _Edits) -> None:
    reader, files = ARCHIVES[name]
    chosen = sorted(files)[part % len(files)]
    damaged = damage(files[chosen].encode(), edits)
    _check(reader, name, make_zip(files | {chosen: damaged}))


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=60, deadline=None)
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=5))
def test_a_damaged_archive_is_read_soundly_or_refused(name: str, edits: _Edits) -> None:
    reader, files = ARCHIVES[name]
    content = damage(make_zip(files), edits)
    find_format(content)
    _check(reader, name, content)


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=40, deadline=None)
@given(dropped=st.sets(st.integers(0, 20)))
def test_an_archive_without_some_tables_is_read_soundly_or_refused(
    name: str, dropped: set[int]
) -> None:
    reader, files = ARCHIVES[name]
    kept = {key: text for at, (key, text) in enumerate(files.items()) if at not in dropped}
    _check(reader, name, make_zip(kept or {"x.csv": "a\n"}))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=4))
def test_a_damaged_classic_netcdf_is_read_soundly_or_refused(edits: _Edits) -> None:
    _check(pypsa.read, "pypsa", damage(make_classic(), edits))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=3))
def test_a_damaged_netcdf_is_read_soundly_or_refused(edits: _Edits) -> None:
    # In the sandbox: one wrong byte may end the interpreter that the HDF5 library runs in.
    _check(run_reader, "pypsa", damage(make_netcdf(), edits))


@given(st.binary(max_size=400))
def test_listing_the_entries_of_anything_never_fails(content: bytes) -> None:
    whole = b"PK\x03\x04" + content
    for entry in list_entries(whole):
        assert len(peek(whole, entry)) <= 4096


@settings(max_examples=100, deadline=None)
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=5))
def test_listing_a_damaged_archive_never_fails(edits: _Edits) -> None:
    content = damage(make_zip(GRIDKIT), edits)
    for entry in list_entries(content):
        assert len(peek(content, entry)) <= 4096
        find_base_name(entry.name)


_names = st.lists(
    st.text(st.characters(whitelist_categories=("Lu", "Ll", "Nd")), min_size=1, max_size=6),
    min_size=2,
    max_size=12,
    unique=True,
)


@settings(max_examples=60, deadline=None)
@given(names=_names, data=st.data())
def test_fusing_by_switches_keeps_exactly_the_connected_groups(
    names: list[str], data: st.DataObject
) -> None:
    node = st.integers(0, len(names) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node, st.booleans()), max_size=12))
    nodes = "id;vmR;type\n" + "".join(f"{name};20;node\n" for name in names)
    switches = "id;nodeA;nodeB;cond\n" + "".join(
        f"s{at};{names[a]};{names[b]};{int(closed)}\n" for at, (a, b, closed) in enumerate(pairs)
    )
    files = {"Node.csv": nodes, "Switch.csv": switches}
    grid = simbench.read(Request("simbench", {"file": make_zip(files)})).grid
    groups = {name: {name} for name in names}
    for a, b, closed in pairs:
        if closed and groups[names[a]] is not groups[names[b]]:
            groups[names[a]] |= groups[names[b]]
            for member in groups[names[a]]:
                groups[member] = groups[names[a]]
    assert grid.bus_count == len({id(group) for group in groups.values()})
