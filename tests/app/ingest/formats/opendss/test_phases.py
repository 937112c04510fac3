"""Phases: traced by hand, and by the voltage angles of a solved circuit."""

import pytest

from tests.app.ingest.formats.opendss.circuits import FEEDER, phases_of, read_script
from tests.app.ingest.formats.opendss.oracle import opened_engine

HEAD = "New Circuit.c basekv=12.47 bus1=s\n"


def _trace(text: str) -> dict[str, str]:
    return phases_of(read_script(HEAD + text))


def test_a_line_may_change_the_node_number() -> None:
    # Node 1 of t is the conductor of node 3 of s: it is phase C, not A.
    phases = _trace(
        "New Line.l bus1=s.3 bus2=t.1 phases=1\nNew Line.m bus1=t.1 bus2=u.1 phases=1\n"
    )
    assert phases == {"s": "ABC", "t": "C", "u": "C"}


def test_a_winding_between_two_phases_has_both() -> None:
    transformer = (
        "New Transformer.t phases=1 buses=(s.1.2 h.1.0) conns=(delta wye) kvs=(12.47 0.24)\n"
    )
    assert _trace(transformer)["h"] == "AB"


def test_regulators_between_two_phases_keep_the_phase_of_each_conductor() -> None:
    text = (
        "New Transformer.r1 phases=1 buses=(s.1.2 t.1.2) conns=(delta delta) kvs=(12.47 12.47)\n"
        "New Transformer.r2 phases=1 buses=(s.3.2 t.3.2) conns=(delta delta) kvs=(12.47 12.47)\n"
        "New Line.l bus1=t.1 bus2=u.1 phases=1\n"
    )
    assert _trace(text) == {"s": "ABC", "t": "ABC", "u": "A"}


def test_a_bank_of_two_transformers_has_the_phases_that_feed_it() -> None:
    text = (
        "New Transformer.b1 phases=1 buses=(s.1.0 m.1.2) conns=(wye delta) kvs=(7.2 0.24)\n"
        "New Transformer.b2 phases=1 buses=(s.2.0 m.2.3) conns=(wye delta) kvs=(7.2 0.24)\n"
    )
    assert _trace(text)["m"] == "AB"  # only A and B feed the bank


def test_a_neutral_carries_no_phase() -> None:
    text = (
        "New Transformer.t phases=1 buses=(s.2.4 h.1.4) kvs=(7.2 0.24)\n"
        "New Line.l bus1=h.1.4 bus2=k.1.4 phases=2\n"
    )
    assert _trace(text) == {"s": "ABC", "h": "B", "k": "B"}


def test_an_open_line_feeds_nothing_and_node_numbers_are_the_fallback() -> None:
    text = (
        "New Line.l bus1=s.1 bus2=t.3 phases=1\nOpen Line.l 1\n"
        "New Line.m bus1=t.3 bus2=u.3 phases=1\n"
    )
    assert _trace(text) == {"s": "ABC", "t": "C", "u": "C"}


@pytest.mark.parametrize("primary", ["B", "C"])
def test_phases_agree_with_the_angles_of_a_solved_circuit(primary: str) -> None:
    # Seen from the split-phase bus, the angle of its primary is what tells the phase; the feeder
    # has a delta-wye transformer, after which all angles lag by 30 degrees.
    node = " ABC".index(primary)
    text = FEEDER.replace("bus=B.2", f"bus=A.{node}")
    traced = phases_of(read_script(text))
    with opened_engine() as engine:
        # The engine has no block comments in single commands, and must not move taps.
        script = text.replace(text[text.index("/*") : text.index("*/") + 2], "")
        for line in script.splitlines():
            if line.strip() and "RegControl" not in line:
                engine.Text.Command(line)
        engine.Circuit.SetActiveBus("house")
        polar = engine.Bus.VMagAngle()
        angle = polar[1 + 2 * engine.Bus.Nodes().index(1)]
    expected = {"A": -30, "B": -150, "C": 90}
    nearest = min(expected, key=lambda name: abs((angle - expected[name] + 180) % 360 - 180))
    assert traced["house"] == nearest == primary
