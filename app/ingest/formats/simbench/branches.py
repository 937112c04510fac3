"""Lines and transformers of SimBench, per unit of 100 MVA, from their type tables."""

from collections.abc import Mapping

import numpy as np

from app.ingest.formats.guards.text_table import TextTable
from app.power.tables import LINE, LINK, TRANSFORMER, BranchTable, join_branches
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

BASE_MVA = 100.0
_DECIMALS = 9

Tables = Mapping[str, TextTable]


def read_branches(
    tables: Tables, place: Mapping[str, int], base_kv: FloatArray, faults: list[Fault]
) -> BranchTable:
    """Return lines, direct-current lines (as links) and two-winding transformers."""
    lines, transformers = tables["Line"], tables["Transformer"]
    ends = _read_ends(lines, ("nodeA", "nodeB"), place, faults)
    plates = _read_ends(transformers, ("nodeHV", "nodeLV"), place, faults)
    if faults:  # positions of -1 would read the voltage of another bus
        return _make_lines(tables, ends[:0], base_kv, [])
    return join_branches(
        [
            _make_lines(tables, ends, base_kv, faults),
            _make_transformers(tables, plates, base_kv, faults),
        ]
    )


def _read_ends(
    table: TextTable, columns: tuple[str, str], place: Mapping[str, int], faults: list[Fault]
) -> IntArray:
    ends = [table.positions(column, place, faults) for column in columns]
    return np.column_stack(ends).astype(np.int64)


def _find_types(elements: TextTable, types: TextTable) -> IntArray:
    """Return the row of the type of every element; -1 if the table does not have it."""
    row_of = {text: row for row, text in enumerate(types.texts("id"))}
    return np.array([row_of.get(text, -1) for text in elements.texts("type")], dtype=np.int64)


def _report_missing(elements: TextTable, missing: BoolArray, faults: list[Fault]) -> None:
    texts = elements.texts("type")
    faults.extend(
        Fault(f"{elements.name} row {row + 1}", f"type {texts[row][:40]!r} is in no type table")
        for row in np.flatnonzero(missing)
    )


def _take(types: TextTable, column: str, rows: IntArray, default: float = np.nan) -> FloatArray:
    """Return a number of the type of every element; ``default`` for a type that is missing."""
    return np.append(types.numbers(column, default), default)[rows]


def _make_lines(
    tables: Tables, ends: IntArray, base_kv: FloatArray, faults: list[Fault]
) -> BranchTable:
    lines, types, direct_types = tables["Line"], tables["LineType"], tables["DCLineType"]
    rows, direct_rows = _find_types(lines, types), _find_types(lines, direct_types)
    count = len(ends)
    rows, direct_rows = rows[:count], direct_rows[:count]
    direct = (direct_rows >= 0) & (rows < 0)
    if count:
        _report_missing(lines, (rows < 0) & ~direct, faults)
    voltage = base_kv[ends[:, 0]]
    ohm = voltage**2 / BASE_MVA
    length = lines.numbers("length")[:count]
    by_current = np.sqrt(3) * voltage * _take(types, "iMax", rows, 0.0) / 1e3
    limits = np.where(direct, _take(direct_types, "pMax", direct_rows, 0.0), by_current)

    def total(column: str, scale: FloatArray) -> FloatArray:
        return np.where(direct, 0.0, _take(types, column, rows) * length * scale)

    with np.errstate(divide="ignore", invalid="ignore"):
        return BranchTable(
            ends=ends,
            kinds=np.where(direct, LINK, LINE),
            resistance=total("r", 1 / ohm),
            reactance=total("x", 1 / ohm),
            charging=total("b", 1e-6 * ohm),  # µS per km
            rating=limits,
            in_service=np.ones(count, dtype=np.bool_),
            tap=np.ones(count),
            shift=np.zeros(count),
        )


def _make_transformers(
    tables: Tables, ends: IntArray, base_kv: FloatArray, faults: list[Fault]
) -> BranchTable:
    """Return the transformers; the first end is the high-voltage side.

    Equation: ``z = (pCu + j sqrt(vmImp^2 - pCu^2)) / sR`` in per unit of the transformer; the
        charging is that of the magnetising current, ``-sqrt(iNoLoad^2 - pFe^2) sR``.
    Deviation: iron losses are left out.
    """
    elements, types = tables["Transformer"], tables["TransformerType"]
    rows = _find_types(elements, types)
    _report_missing(elements, rows < 0, faults)
    power = _take(types, "sR", rows)
    ratio, shift = _read_ratio(elements, types, rows, base_kv[ends])
    turns = (_take(types, "vmLV", rows) / base_kv[ends[:, 1]]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = _take(types, "pCu", rows) / 1e3 / power
        impedance = _take(types, "vmImp", rows) / 100
        reactance = np.sqrt(np.maximum(impedance**2 - losses**2, 0.0))
        iron = _take(types, "pFe", rows, 0.0) / 1e3
        current = _take(types, "iNoLoad", rows, 0.0) / 100 * power
        magnetising = np.sqrt(np.maximum(current**2 - iron**2, 0.0))
        scale = BASE_MVA / power * turns
        return BranchTable(
            ends=ends,
            kinds=np.full(len(ends), TRANSFORMER),
            resistance=losses * scale,
            reactance=reactance * scale,
            charging=-magnetising / BASE_MVA / turns,
            rating=power,
            in_service=np.ones(len(ends), dtype=np.bool_),
            tap=np.round(ratio, _DECIMALS),
            shift=np.round(shift, _DECIMALS),
        )


def _read_ratio(
    elements: TextTable, types: TextTable, rows: IntArray, voltages: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ratio at the high-voltage end and the phase shift, both with tap positions."""
    sides = [*(side.upper() for side in types.texts("tapside")), ""]
    high = np.array([sides[row] == "HV" for row in rows], dtype=np.bool_)
    steps = elements.numbers("tappos", 0.0) - _take(types, "tapNeutr", rows, 0.0)
    angle = np.deg2rad(_take(types, "dVa", rows, 0.0))
    added = 1 + steps * _take(types, "dVm", rows, 0.0) / 100 * np.exp(1j * angle)
    factor = np.where(high, np.abs(added), 1 / np.maximum(np.abs(added), 1e-9))
    turned = np.rad2deg(np.angle(added)) * np.where(high, 1, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rated = _take(types, "vmHV", rows) / _take(types, "vmLV", rows)
        ratio = rated / (voltages[:, 0] / voltages[:, 1]) * factor
    return ratio, _take(types, "va0", rows, 0.0) + turned
