"""Built-in cases by name: a fixed list, read by pandapower in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock

import msgspec
import numpy as np

from app.bounded_cache import BoundedCache
from app.errors import CaseUnreadable, GridRejected
from app.ingest.grid import Grid, LabelSet, ReadGrid
from app.ingest.report import make_report
from ml.errors import Fault

_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 120
_CASES_REMEMBERED = 4

CASES: dict[str, int] = {
    "case4gs": 1,
    "case5": 1,
    "case6ww": 0,
    "case9": 0,
    "case14": 0,
    "case24_ieee_rts": 0,
    "case30": 0,
    "case_ieee30": 1,
    "case33bw": 1,
    "case39": 0,
    "case57": 0,
    "case89pegase": 1,
    "case118": 0,
    "case145": 1,
    "case_illinois200": 1,
    "case300": 0,
    "case1354pegase": 1,
    "case1888rte": 1,
    "case2848rte": 1,
    "case2869pegase": 1,
    "case3120sp": 1,
    "case6470rte": 1,
    "case6495rte": 1,
    "case6515rte": 1,
    "case9241pegase": 1,
}
"""Name -> what to add to pandapower's bus name to get the MATPOWER number."""

_ROLES = ("neither", "load", "generator")
_ROLE_DEFINITION = (
    "generator: a generator, static generator or external grid in service stands at the bus, "
    "also when a load does; load: a load in service, but none of these; neither: the rest."
)
_KINDS = ("line", "transformer")
_UNITS = {"Pd": "MW", "Qd": "Mvar", "Vm": "p.u.", "Va": "degree", "base_kv": "kV"}


class CaseData(msgspec.Struct):
    """What the process that knows pandapower hands over: plain columns."""

    version: str
    bus_names: list[int]
    x: list[float]
    y: list[float]
    features: dict[str, list[float]]
    roles: list[int]
    lines: list[tuple[int, int]]
    transformers: list[tuple[int, int]]
    out_of_service: int


_reading = Lock()
_remembered: BoundedCache[ReadGrid] = BoundedCache(_CASES_REMEMBERED)


def read_case(name: str) -> ReadGrid:
    """Return a built-in case with its label set ``role``.

    Raises: GridRejected for a name that is not on the list, CaseUnreadable.
    """
    if name not in CASES:
        problem = f"is not a built-in case; there are {', '.join(CASES)}"
        raise GridRejected("There is no such case.", [Fault("case", problem)])
    known = _remembered.find(name)
    if known is not None:
        return known
    with _reading:  # one at a time: each takes a processor for seconds and a lot of memory
        return _remembered.get_or_load(name, lambda: _make_grid(name, _ask_pandapower(name)))


def _ask_pandapower(name: str) -> CaseData:
    environment = {"PYTHONPATH": str(_ROOT), "PATH": os.defpath, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, a name from a fixed list
            [sys.executable, "-P", "-m", "app.ingest.case_reader", name],
            env=environment,
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
        return msgspec.msgpack.decode(done.stdout, type=CaseData)
    except (subprocess.SubprocessError, msgspec.MsgspecError) as error:
        raise CaseUnreadable(f"The case {name} could not be read; try again.") from error


def _make_grid(name: str, data: CaseData) -> ReadGrid:
    ids = tuple(str(number + CASES[name]) for number in data.bus_names)
    ends = np.array([*data.lines, *data.transformers], dtype=np.int64).reshape(-1, 2)
    coordinates = np.stack([data.x, data.y], axis=1)
    grid = Grid(
        name=name,
        source=f"pandapower {data.version} {name}",
        bus_ids=ids,
        aliases={},
        coordinates=coordinates,
        coordinate_system="none" if np.isnan(coordinates).all() else "schematic",
        feature_names=tuple(data.features),
        feature_units=tuple(_UNITS[column] for column in data.features),
        features=np.stack(list(data.features.values()), axis=1),
        ends=ends,
        weights=np.ones(len(ends)),
        kinds=np.repeat([0, 1], [len(data.lines), len(data.transformers)]).astype(np.int64),
        kind_names=_KINDS,
    )
    role = LabelSet("role", _ROLES, np.array(data.roles, dtype=np.int64), _ROLE_DEFINITION)
    dropped = {
        "self_loops": {"count": 0, "first": []},
        "out_of_service_branches": data.out_of_service,
    }
    return ReadGrid(grid, (role,), make_report(grid, (role,), dropped, _list_notes(name)))


def _list_notes(name: str) -> list[str]:
    return [
        f"Bus ids are the MATPOWER numbers of {name}.",
        "Every branch has weight 1; parallel branches add their weights up.",
        "Vm and Va come from an AC power flow that the reader ran.",
        "Pd and Qd are the loads in service; what MATPOWER has as a negative load is a generator.",
        "Coordinates are those of pandapower's drawing, not of a map.",
    ]
