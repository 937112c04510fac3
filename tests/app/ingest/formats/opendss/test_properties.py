"""Damaged archives and random statements are read soundly or refused; nothing else happens."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import Rejected
from app.ingest.formats.opendss import network as opendss
from app.ingest.protocol import Request, decode_answer, encode_grid
from tests.app.ingest.formats.opendss.circuits import FEEDER, GEOMETRY, pack

ARCHIVE = pack({"master.dss": FEEDER, "coordinates.csv": "a, 1, 2"})
_WORDS = (
    "new edit ~ more set open close enable disable redirect clear like= bus1= bus2= line.a line.b "
    "transformer.t load.l linecode.c s s.1 t.2.3 (s,t.1) buses= wdg=2 kv= kvs= phases= [1|2] "
    "nconds=4 kron=y 1 0 -1 1e12 1e-300 ! linecode=c switch=y windings= xhl= kva=0 enabled=no "
    "wiredata.w linegeometry.g geometry=g wire=w cond=2 rmatrix= xmatrix= rac=0 gmrac=1e-320 x=0 "
    "capacitor.c reactor.r pvsystem.p generator.g vsource.v kw=-1 kvar=(1 units=km voltagebases= "
    "basekv=0 xfmrcode.x xfmrcode=x %loadloss=1 setkvbase taps=(0,1) pf=2 states=[0] . .. @x 1e308"
)
_LINES = [*FEEDER.splitlines(), *GEOMETRY.splitlines()]
_word = st.sampled_from([*_WORDS.split(), "(1 2 +)", "\n", "\n", "\n"])


def _read_or_refuse(content: bytes) -> None:
    try:
        read = opendss.read(Request("opendss", {"file": content}))
    except Rejected:
        return
    decode_answer(encode_grid(read))  # raises if the grid is not sound


@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, len(ARCHIVE)), put=st.binary(max_size=6), length=st.integers(0, 12))
def test_a_damaged_archive_is_read_soundly_or_refused(at: int, put: bytes, length: int) -> None:
    _read_or_refuse(ARCHIVE[:at] + put + ARCHIVE[at + length :])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=st.lists(_word, max_size=60))
def test_any_statements_are_read_soundly_or_refused(words: list[str]) -> None:
    _read_or_refuse(("New Circuit.c bus1=s\n" + " ".join(words)).encode())


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(_LINES) - 1), st.lists(_word, min_size=1, max_size=6)),
        min_size=1,
        max_size=6,
    )
)
def test_a_feeder_with_changed_lines_is_read_soundly_or_refused(
    edits: list[tuple[int, list[str]]],
) -> None:
    lines = list(_LINES)
    for at, words in edits:
        lines[at] = f"{lines[at]} {' '.join(words)}"
    _read_or_refuse("\n".join(lines).encode())
