"""pandapower JSON: the tables of a grid; pandapower's reader adds the empty ones."""

import json
from typing import Any

import numpy as np

from app.export.sheet import Exported, Sheet, add_answers, lay_out_predictions
from app.grid.grid import Grid
from app.http.csv_text import Cell
from app.power.tables import BUS_TYPES
from ml.arrays import BoolArray, FloatArray, IntArray

_BASE_MVA = 100.0
_FREQUENCY = 50.0
_NO_LIMIT_MVA = 99_999.0
_SMALLEST_REACTANCE = 1e-6
_PQ, _PV, _SLACK = range(3)
_KINDS = {"transformer": "trafo", "switch": "switch"}
"""Every other kind of branch is written as a line."""


def write_pandapower(exported: Exported) -> dict[str, Any]:
    """Return a network in pandapower's JSON form; predictions are columns of the bus table.

    Deviation: a grid without base voltages is written at 1 kV, a grid without impedances with
        0.1 p.u. per branch. All elements at a bus become one load, one shunt and one generator:
        an external grid or a voltage-controlled generator according to the bus type, else a
        static generator. Charging of transformers is left out: pandapower has only the
        inductive kind.
    """
    grid = exported.grid
    types = _bus_types(exported)
    tables = {
        "bus": _buses(exported),
        "line": _lines(grid),
        "trafo": _transformers(grid),
        "switch": _switches(grid),
        "load": _loads(grid),
        "sgen": _elements(grid, "Pg", "Qg", types == _PQ),
        "gen": _controlled(grid, types == _PV),
        "ext_grid": _slacks(grid, types == _SLACK),
        "shunt": _shunts(grid),
    }
    # pandapower adds absent tables with the right column types.
    parts: dict[str, Any] = {
        name: _frame(sheet) for name, sheet in tables.items() if any(sheet.values())
    }
    parts |= {"name": grid.name, "f_hz": _FREQUENCY, "sn_mva": _BASE_MVA}
    return {"_module": "pandapower.auxiliary", "_class": "pandapowerNet", "_object": parts}


def _bus_types(exported: Exported) -> IntArray:
    """Return positions in ``BUS_TYPES``; all buses are PQ if voltages or types are unknown."""
    grid = exported.grid
    labels = next((one for one in exported.label_sets if one.name == "bus_type"), None)
    if labels is None or grid.find_column("Vm") is None:
        return np.full(grid.bus_count, _PQ)
    order = [BUS_TYPES.index(name) if name in BUS_TYPES else _PQ for name in labels.class_names]
    return np.array([*order, _PQ])[labels.classes]


def _frame(sheet: Sheet) -> dict[str, Any]:
    rows = [list(row) for row in zip(*sheet.values(), strict=True)]
    table = {"columns": list(sheet), "index": list(range(len(rows))), "data": rows}
    return {
        "_module": "pandas.core.frame",
        "_class": "DataFrame",
        "_object": json.dumps(table),
        "orient": "split",
        "dtype": {name: _column_type(cells) for name, cells in sheet.items()},
        "is_multiindex": False,
        "is_multicolumn": False,
    }


def _column_type(cells: list[Cell]) -> str:
    kinds = {type(cell) for cell in cells}
    names = {bool: "bool", int: "int64", float: "float64"}
    return names.get(kinds.pop(), "object") if len(kinds) == 1 else "object"


def _buses(exported: Exported) -> Sheet:
    grid = exported.grid
    zone = next((one for one in exported.label_sets if one.name == "zone"), None)
    zones: list[Cell] = [None] * grid.bus_count
    if zone is not None:
        zones = [None if bus < 0 else zone.class_names[bus] for bus in zone.classes]
    sheet: Sheet = {
        "name": list(grid.bus_ids),
        "vn_kv": list(_voltages(grid).tolist()),
        "type": ["b"] * grid.bus_count,
        "zone": zones,
        "in_service": [True] * grid.bus_count,
        "geo": _points(grid),
    }
    if exported.predictions is not None:
        sheet |= lay_out_predictions(exported.predictions)
        add_answers(sheet, exported, exported.predictions)
    return sheet


def _points(grid: Grid) -> list[Cell]:
    if grid.coordinate_system == "approximate":  # an import would take them as exact
        return [None] * grid.bus_count
    return [_point(place) for place in grid.coordinates]


def _point(place: FloatArray) -> Cell:
    if not np.isfinite(place).all():
        return None
    return json.dumps({"type": "Point", "coordinates": place.tolist()})


def _lines(grid: Grid) -> Sheet:
    rows = _rows_of(grid, "line")
    ends = grid.ends[rows]
    ohm = _voltages(grid)[ends[:, 0]] ** 2 / _BASE_MVA
    charging = _branch_column(grid, "b", 0.0)[rows] / ohm
    current = _ratings(grid)[rows] / (np.sqrt(3) * _voltages(grid)[ends[:, 0]])
    return {
        "name": [None] * len(rows),
        "std_type": [None] * len(rows),
        "from_bus": ends[:, 0].tolist(),
        "to_bus": ends[:, 1].tolist(),
        "length_km": [1.0] * len(rows),
        "r_ohm_per_km": (_branch_column(grid, "r", 0.0)[rows] * ohm).tolist(),
        "x_ohm_per_km": (_reactances(grid)[rows] * ohm).tolist(),
        "c_nf_per_km": (charging / (2 * np.pi * _FREQUENCY) * 1e9).tolist(),
        "g_us_per_km": [0.0] * len(rows),
        "max_i_ka": current.tolist(),
        "df": [1.0] * len(rows),
        "parallel": [1] * len(rows),
        "type": ["ol"] * len(rows),
        "in_service": [True] * len(rows),
    }


def _transformers(grid: Grid) -> Sheet:
    rows = _rows_of(grid, "trafo")
    voltages = _voltages(grid)
    ends = grid.ends[rows]
    swapped = voltages[ends[:, 0]] < voltages[ends[:, 1]]
    high, low = np.where(swapped[:, np.newaxis], ends[:, ::-1], ends).T
    rated = _ratings(grid)[rows]
    resistance = _branch_column(grid, "r", 0.0)[rows]
    reactance = _reactances(grid)[rows]
    impedance = np.copysign(np.hypot(resistance, reactance), reactance)
    percent = rated / _BASE_MVA * 100
    tap, shift = _branch_column(grid, "tap", 1.0)[rows], _branch_column(grid, "shift", 0.0)[rows]
    zeros: list[Cell] = [0.0] * len(rows)
    return {
        "name": [None] * len(rows),
        "std_type": [None] * len(rows),
        "hv_bus": high.tolist(),
        "lv_bus": low.tolist(),
        "sn_mva": rated.tolist(),
        "vn_hv_kv": (voltages[high] * np.where(swapped, 1.0, tap)).tolist(),
        "vn_lv_kv": (voltages[low] * np.where(swapped, tap, 1.0)).tolist(),
        "vk_percent": (impedance * percent).tolist(),
        "vkr_percent": (resistance * percent).tolist(),
        "pfe_kw": zeros,
        "i0_percent": zeros,
        "shift_degree": np.where(swapped, -shift, shift).tolist(),
        "parallel": [1] * len(rows),
        "df": [1.0] * len(rows),
        "in_service": [True] * len(rows),
    }


def _switches(grid: Grid) -> Sheet:
    rows = _rows_of(grid, "switch")
    return {
        "bus": grid.ends[rows, 0].tolist(),
        "element": grid.ends[rows, 1].tolist(),
        "et": ["b"] * len(rows),
        "type": ["CB"] * len(rows),
        "closed": [True] * len(rows),
        "name": [None] * len(rows),
        "z_ohm": [0.0] * len(rows),
    }


def _loads(grid: Grid) -> Sheet:
    sheet = _elements(grid, "Pd", "Qd", np.ones(grid.bus_count, dtype=np.bool_))
    constant_power: list[Cell] = [0.0] * len(sheet["bus"])
    shares = ("const_z_p_percent", "const_i_p_percent", "const_z_q_percent", "const_i_q_percent")
    return sheet | dict.fromkeys(shares, constant_power)


def _elements(grid: Grid, active: str, reactive: str, chosen: BoolArray) -> Sheet:
    power, imaginary = _bus_column(grid, active), _bus_column(grid, reactive)
    at = np.flatnonzero(((power != 0) | (imaginary != 0)) & chosen)
    return {
        "name": [None] * len(at),
        "bus": at.tolist(),
        "p_mw": power[at].tolist(),
        "q_mvar": imaginary[at].tolist(),
        "scaling": [1.0] * len(at),
        "in_service": [True] * len(at),
    }


def _controlled(grid: Grid, chosen: BoolArray) -> Sheet:
    at = np.flatnonzero(chosen)
    capacity = _bus_column(grid, "Pmax")[at]
    return {
        "name": [None] * len(at),
        "bus": at.tolist(),
        "sn_mva": np.where(capacity > 0, capacity, _BASE_MVA).tolist(),
        "p_mw": _bus_column(grid, "Pg")[at].tolist(),
        "vm_pu": _bus_column(grid, "Vm")[at].tolist(),
        "scaling": [1.0] * len(at),
        "slack": [False] * len(at),
        "slack_weight": [0.0] * len(at),
        "in_service": [True] * len(at),
    }


def _slacks(grid: Grid, chosen: BoolArray) -> Sheet:
    at = np.flatnonzero(chosen)
    return {
        "name": [None] * len(at),
        "bus": at.tolist(),
        "vm_pu": _bus_column(grid, "Vm")[at].tolist(),
        "va_degree": _bus_column(grid, "Va")[at].tolist(),
        "slack_weight": [1.0] * len(at),
        "in_service": [True] * len(at),
    }


def _shunts(grid: Grid) -> Sheet:
    conductance, susceptance = _bus_column(grid, "Gs"), _bus_column(grid, "Bs")
    at = np.flatnonzero((conductance != 0) | (susceptance != 0))
    return {
        "bus": at.tolist(),
        "name": [None] * len(at),
        "q_mvar": (-susceptance[at]).tolist(),
        "p_mw": conductance[at].tolist(),
        "vn_kv": _voltages(grid)[at].tolist(),
        "step": [1] * len(at),
        "max_step": [1] * len(at),
        "in_service": [True] * len(at),
    }


def _rows_of(grid: Grid, table: str) -> IntArray:
    tables = np.array([_KINDS.get(name, "line") for name in grid.kind_names] or [""])
    return np.flatnonzero(tables[grid.kinds] == table)


def _voltages(grid: Grid) -> FloatArray:
    voltages = grid.find_column("base_kv")
    if voltages is None:
        return np.ones(grid.bus_count)
    return np.where(voltages > 0, voltages, 1.0)


def _ratings(grid: Grid) -> FloatArray:
    ratings = _branch_column(grid, "rating", 0.0)
    return np.where(ratings > 0, ratings, _NO_LIMIT_MVA)


def _reactances(grid: Grid) -> FloatArray:
    reactances = _branch_column(grid, "x", 0.1)
    return np.where(reactances == 0, _SMALLEST_REACTANCE, reactances)


def _bus_column(grid: Grid, name: str) -> FloatArray:
    column = grid.find_column(name)
    return np.zeros(grid.bus_count) if column is None else column


def _branch_column(grid: Grid, name: str, default: float) -> FloatArray:
    if name not in grid.branch_columns.names:
        return np.full(grid.branch_count, default)
    return grid.branch_columns.values[:, grid.branch_columns.names.index(name)]
