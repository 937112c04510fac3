"""Whatever the bytes, a reader gives a sound grid or a refusal, never another error."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.errors import GridRejected, Rejected
from app.grid.report import ReadGrid
from app.ingest.formats import FORMATS, choose_format, csv_tables, find_format, graphml, node_link
from app.ingest.formats.foreign import find_foreign
from app.ingest.formats.guards.zip_guard import read_xml_archive, write_archive
from app.ingest.formats.matpower import reader as matpower
from app.ingest.formats.opendss import network as opendss
from app.ingest.formats.pandapower import network as pandapower_json
from app.ingest.formats.powerio import cgmes, psse
from app.ingest.formats.ucte import network as ucte
from app.ingest.protocol import Request, decode_answer, encode_grid
from app.ingest.sandbox.run import run_reader
from tests.app.ingest.formats.opendss.circuits import FEEDER
from tests.app.ingest.formats.powerio.hand_made_cgmes import make_archive
from tests.app.ingest.formats.ucte.test_network import UCTE
from tests.app.ingest.requests import SMALL_CASE, ask, make_mat_file

Reader = Callable[[Request], ReadGrid]

_BUS = '{"columns":["name","vn_kv"],"index":[0,1],"data":[["a",10],["b",10]]}'
_LINE = (
    '{"columns":["from_bus","to_bus","r_ohm_per_km","x_ohm_per_km"],"index":[0],'
    '"data":[[0,1,0.1,0.2]]}'
)
_GRAPHML = (
    '<graphml><graph><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
)
SEEDS: dict[str, tuple[Reader, str]] = {
    "matpower": (matpower.read, SMALL_CASE),
    "pandapower": (
        pandapower_json.read,
        json.dumps({"_object": {"bus": {"_object": _BUS}, "line": {"_object": _LINE}}}),
    ),
    "csv": (csv_tables.read, "source,target,weight\n1,2,1.5\n2,3,2\n"),
    "graphml": (graphml.read, _GRAPHML),
    "json": (
        node_link.read,
        '{"nodes":[{"id":"a","Pd":1},{"id":2,"Pd":3}],"edges":[{"source":"a","target":2}]}',
    ),
    "opendss": (opendss.read, FEEDER),
    "ucte": (ucte.read, UCTE),
    "psse": (psse.read, (Path(__file__).parent / "powerio/hand_made.raw").read_text()),
}

PROFILES = read_xml_archive(make_archive())
edits_of_bytes = st.tuples(st.integers(0, 10**6), st.integers(0, 12), st.binary(max_size=6))


def damage(seed: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, length, put in edits:
        start = place % (len(seed) + 1)
        seed = seed[:start] + put + seed[start + length :]
    return seed


def assert_sound(read: ReadGrid) -> None:
    grid = read.grid
    assert len(set(grid.bus_ids)) == grid.bus_count > 0
    assert np.isfinite(grid.features).all()
    assert (grid.weights > 0).all()
    assert np.isfinite(grid.weights).all()
    assert set(np.unique(grid.ends)) <= set(range(grid.bus_count))
    assert (grid.ends[:, 0] != grid.ends[:, 1]).all()
    decode_answer(encode_grid(read))


@pytest.mark.parametrize("name", SEEDS)
def test_an_undamaged_file_gives_a_sound_grid(name: str) -> None:
    reader, seed = SEEDS[name]
    assert_sound(reader(Request(name, {"file": seed.encode()})))


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=5))
def test_a_damaged_file_is_read_soundly_or_refused(
    name: str, edits: list[tuple[int, int, bytes]]
) -> None:
    reader, seed = SEEDS[name]
    try:
        read = reader(Request(name, {"file": damage(seed.encode(), edits)}))
    except Rejected:
        return
    assert_sound(read)


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_any_bytes_are_refused_or_read(name: str, content: bytes) -> None:
    reader, _ = SEEDS[name]
    try:
        read = reader(Request(name, {"file": content}))
    except Rejected:
        return
    assert_sound(read)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    profile=st.sampled_from(sorted(PROFILES)),
    edits=st.lists(edits_of_bytes, min_size=1, max_size=5),
)
def test_damaged_cgmes_profiles_are_read_soundly_or_refused(
    profile: str, edits: list[tuple[int, int, bytes]]
) -> None:
    documents = PROFILES | {profile: damage(PROFILES[profile], edits)}
    try:
        read = cgmes.read(Request("cgmes", {"file": write_archive(documents)}))
    except Rejected:
        return
    assert_sound(read)


@settings(max_examples=60, deadline=None)
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=5))
def test_a_damaged_archive_is_read_soundly_or_refused(edits: list[tuple[int, int, bytes]]) -> None:
    try:
        read = cgmes.read(Request("cgmes", {"file": damage(write_archive(PROFILES), edits)}))
    except Rejected:
        return
    assert_sound(read)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(edits_of_bytes, min_size=1, max_size=3))
def test_a_damaged_binary_file_is_read_soundly_or_refused(
    edits: list[tuple[int, int, bytes]],
) -> None:
    # In the sandbox: one wrong byte may end the interpreter that scipy runs in.
    try:
        read = run_reader(ask("matpower", damage(make_mat_file(), edits)))
    except Rejected:
        return
    assert_sound(read)


@pytest.mark.parametrize("name", SEEDS)
@given(tail=st.binary(max_size=300), mark=st.sampled_from([b"", b"\xef\xbb\xbf", b"\n "]))
@example(tail=b"new circuit.", mark=b"")
@example(tail=b"pandapowerNet", mark=b"")
def test_a_format_is_recognised_by_its_beginning(name: str, tail: bytes, mark: bytes) -> None:
    form = find_format(mark + SEEDS[name][1].encode() + b"\n" + tail)
    assert form is not None
    assert form.name == name


@given(st.binary(max_size=300))
@example(b"CDF\x01")
@example(b"\x89HDF\r\n\x1a\n")
@example(b"PK\x03\x04")
def test_bytes_of_no_format_are_refused_with_the_formats_there_are(content: bytes) -> None:
    form, foreign = find_format(content), find_foreign(content)
    if form is not None and foreign is None:
        assert choose_format(content, None) is form
        return
    with pytest.raises(GridRejected) as caught:
        choose_format(content, None)
    (fault,) = caught.value.faults
    named = FORMATS if foreign is None else (foreign.title, foreign.advice)
    assert all(name in fault.problem for name in named)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 20), st.floats(1e-3, 1e3)),
        min_size=1,
        max_size=30,
    )
)
def test_csv_keeps_every_branch_except_loops(rows: list[tuple[int, int, float]]) -> None:
    text = "source,target,weight\n" + "".join(f"{a},{b},{w!r}\n" for a, b, w in rows)
    grid = csv_tables.read(Request("csv", {"file": text.encode()})).grid
    kept = [(str(a), str(b), w) for a, b, w in rows if a != b]
    branches = [
        (grid.bus_ids[a], grid.bus_ids[b], w)
        for (a, b), w in zip(grid.ends.tolist(), grid.weights.tolist(), strict=True)
    ]
    assert branches == kept
