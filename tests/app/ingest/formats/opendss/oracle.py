"""OpenDSS itself, through OpenDSSDirect.py: what a circuit looks like to the original program."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_SHAPES = re.compile(r"(?im)^[ \t]*new[ \t]+loadshape\.[^\r\n]*|\byearly=\S+")
_INCLUDE = re.compile(r"(?im)^[ \t]*redirect[ \t]+(\S+)[^\r\n]*")


@dataclass(frozen=True)
class Original:
    """Node numbers and base voltages (kV between phases) by bus, and the numbers of elements."""

    nodes: dict[str, set[int]]
    base_kv: dict[str, float]
    lines: int
    transformers: int
    reactors: int
    demand_kw: float


@contextmanager
def opened_engine() -> Iterator[Any]:
    """Give the engine, which is one per process, and empty it afterwards."""
    engine = pytest.importorskip("opendssdirect")
    engine.Basic.AllowChangeDir(False)
    engine.Text.Command("ClearAll")
    try:
        yield engine
    finally:
        engine.Text.Command("ClearAll")


def copy_without_shapes(source: Path, target: Path) -> None:
    """Copy scripts without the load shapes, whose files are absent, and without absent includes."""
    present = {path.name.lower() for path in source.iterdir()}

    def keep(include: re.Match[str]) -> str:
        return include[0] if include[1].strip("\"'").lower() in present else ""

    for path in source.iterdir():
        text = _SHAPES.sub("", path.read_text(encoding="latin-1"))
        # The test circuits were written on a system whose file names do not depend on case.
        (target / path.name).write_text(_INCLUDE.sub(keep, text), encoding="latin-1")


def run_original(script: Path) -> Original:
    """Compile a script with OpenDSS and describe its circuit."""
    with opened_engine() as engine:
        engine.Text.Command(f'Compile "{script}"')
        nodes, base_kv = {}, {}
        for bus in engine.Circuit.AllBusNames():
            engine.Circuit.SetActiveBus(bus)
            nodes[bus] = set(engine.Bus.Nodes())
            base_kv[bus] = engine.Bus.kVBase() * 3**0.5
        return Original(
            nodes,
            base_kv,
            sum(1 for _ in _each_enabled(engine, "Line")),
            sum(1 for _ in _each_enabled(engine, "Transformer")),
            sum(1 for _ in _each_enabled(engine, "Reactor")),
            sum(_each_kw(engine)),
        )


def _each_enabled(engine: Any, kind: str) -> Iterator[str]:
    engine.Circuit.SetActiveClass(kind)
    for name in engine.ActiveClass.AllNames():
        engine.Circuit.SetActiveElement(f"{kind}.{name}")
        if engine.CktElement.Enabled():
            yield name


def _each_kw(engine: Any) -> Iterator[float]:
    for name in engine.Loads.AllNames():
        engine.Loads.Name(name)
        yield engine.Loads.kW()
