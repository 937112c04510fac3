"""Branches of a PyPSA network, per unit of 100 MVA."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.ingest.formats.guards.text_table import TextTable
from app.ingest.formats.pypsa.source import PypsaParts
from app.ingest.formats.pypsa.transformer_types import TypedData, apply_types
from app.power.tables import (
    LINE,
    LINK,
    TRANSFORMER,
    BranchTable,
    join_branches,
    make_plain_branches,
)
from ml.arrays import FloatArray, IntArray
from ml.errors import Fault

BASE_MVA = 100.0


class LineType(NamedTuple):
    """Ohm per km, ohm per km, nF per km, Hz."""

    resistance: float
    reactance: float
    capacitance: float
    frequency: float = 50.0


_STANDARD_TYPES = {
    "Al/St 240/40 2-bundle 220.0": LineType(0.06, 0.301, 12.5),
    "Al/St 240/40 3-bundle 300.0": LineType(0.04, 0.265, 13.2),
    "Al/St 240/40 4-bundle 380.0": LineType(0.03, 0.246, 13.8),
    "490-AL1/64-ST1A 220.0": LineType(0.059, 0.285, 10.0),
    "490-AL1/64-ST1A 380.0": LineType(0.059, 0.253, 11.0),
    "305-AL1/39-ST1A 110.0": LineType(0.0949, 0.38, 9.2),
    "243-AL1/39-ST1A 110.0": LineType(0.1188, 0.39, 9.0),
}
"""Overhead lines that PyPSA knows by name and therefore does not write into a file.

Source: Oeding and Oswald, Elektrische Kraftwerke und Netze (2011), chapter 9, for the bundles;
Heuck et al., Elektrische Energieversorgung (2010), for the others.
"""


class PypsaBranches(NamedTuple):
    """The branches, and the numbers of lines and transformers whose type is not known."""

    table: BranchTable
    untyped: int
    untyped_transformers: int = 0


def read_branches(
    parts: PypsaParts, place: Mapping[str, int], base_kv: FloatArray, faults: list[Fault]
) -> PypsaBranches:
    """Return lines, transformers and links; a link has no impedance."""
    tables = [parts.table(name) for name in ("lines", "transformers", "links")]
    lines, transformers, links = tables
    ends = [_read_ends(table, place, faults) for table in tables]
    if faults:  # positions of -1 would read the voltage of another bus
        return PypsaBranches(_make_links(TextTable("links", {}, 0), ends[0][:0]), 0)
    typed = apply_types(transformers, parts.table("transformer_types"))
    joined, untyped = _make_lines(lines, parts.table("line_types"), ends[0], base_kv)
    return PypsaBranches(
        join_branches(
            [joined, _make_transformers(transformers, typed, ends[1]), _make_links(links, ends[2])]
        ),
        untyped,
        int(np.count_nonzero(~typed.typed & (np.array(transformers.texts("type")) != ""))),
    )


def _read_ends(table: TextTable, place: Mapping[str, int], faults: list[Fault]) -> IntArray:
    ends = [table.positions(column, place, faults) for column in ("bus0", "bus1")]
    return np.column_stack(ends).astype(np.int64)


def _make_lines(
    lines: TextTable, types: TextTable, ends: IntArray, base_kv: FloatArray
) -> tuple[BranchTable, int]:
    """Return the lines; a type replaces the impedance in ohm by that of its length."""
    known = _STANDARD_TYPES | _read_types(types)
    names = lines.texts("type")
    typed = np.array([name in known for name in names], dtype=np.bool_)
    data = np.array([known.get(name, LineType(0.0, 0.0, 0.0)) for name in names]).reshape(-1, 4)
    parallel = np.maximum(lines.numbers("num_parallel", 1.0), 1e-9)
    length = lines.numbers("length", 0.0)
    ohm = base_kv[ends[:, 0]] ** 2 / BASE_MVA
    siemens = 2 * np.pi * data[:, 3] * data[:, 2] * 1e-9 * length * parallel
    given = (lines.numbers(name, 0.0) for name in ("r", "x", "b"))
    resistance, reactance, charging = given
    with np.errstate(divide="ignore", invalid="ignore"):
        table = BranchTable(
            ends=ends,
            kinds=np.full(len(ends), LINE),
            resistance=np.where(typed, data[:, 0] * length / parallel, resistance) / ohm,
            reactance=np.where(typed, data[:, 1] * length / parallel, reactance) / ohm,
            charging=np.where(typed, siemens, charging) * ohm,
            rating=_read_limit(lines, "s_nom"),
            in_service=lines.truths("active", default=True),
            tap=np.ones(len(ends)),
            shift=np.zeros(len(ends)),
        )
    lost = ~typed & np.array([bool(name) for name in names], dtype=np.bool_)
    return table, int(np.count_nonzero(lost & (reactance == 0)))


def _read_types(types: TextTable) -> dict[str, LineType]:
    columns = ("r_per_length", "x_per_length", "c_per_length")
    numbers = [types.numbers(name, 0.0) for name in columns]
    rows = zip(*numbers, types.numbers("f_nom", 50.0), strict=True)
    return dict(zip(types.texts("name"), map(LineType._make, rows), strict=True))


def _make_transformers(table: TextTable, typed: TypedData, ends: IntArray) -> BranchTable:
    """Return the transformers; PyPSA gives r, x and b per unit of ``s_nom``, or by a type."""

    def choose(by_type: FloatArray, column: str, default: float = 0.0) -> FloatArray:
        return np.where(typed.typed, by_type, table.numbers(column, default))

    power = np.where(typed.typed, typed.power, _read_limit(table, "s_nom"))
    scale = np.divide(BASE_MVA, power, where=power > 0, out=np.ones(len(ends)))
    ratio = choose(typed.ratio, "tap_ratio", 1.0)
    at_second = np.where(typed.typed, typed.at_second, table.numbers("tap_side", 0.0) == 1)
    inverse = np.divide(1.0, ratio, where=ratio != 0, out=np.ones(len(ends)))
    return BranchTable(
        ends=ends,
        kinds=np.full(len(ends), TRANSFORMER),
        resistance=choose(typed.resistance, "r") * scale,
        reactance=choose(typed.reactance, "x") * scale,
        charging=choose(typed.susceptance, "b") / scale,
        rating=power,
        in_service=table.truths("active", default=True),
        tap=np.where(at_second, inverse, ratio),
        shift=choose(typed.shift, "phase_shift"),
    )


def _make_links(table: TextTable, ends: IntArray) -> BranchTable:
    return replace(
        make_plain_branches(ends, np.full(len(ends), LINK)),
        rating=_read_limit(table, "p_nom"),
        in_service=table.truths("active", default=True),
    )


def _read_limit(table: TextTable, column: str) -> FloatArray:
    """Return a rating in MVA; 0, no limit, for an infinite one."""
    limit = table.numbers(column, 0.0)
    return np.where(np.isinf(limit), 0.0, limit)
