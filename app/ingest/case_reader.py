"""``python -m app.ingest.case_reader NAME``: a built-in case as msgpack on standard output."""

import json
import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from typing import Any

import msgspec
import numpy as np

from app.ingest.cases import CASES, CaseData
from ml.arrays import BoolArray, FloatArray

_DECIMALS = 6
"""A power flow agrees between machines to more digits than these, so the content hash does."""
_GENERATORS = ("gen", "sgen", "ext_grid")
_NEITHER, _LOAD, _GENERATOR = range(3)


def main() -> None:
    """Read the case that the command line names and write it out."""
    name = sys.argv[1]
    if name not in CASES:
        sys.exit(f"{name} is not a built-in case")
    from pandapower import networks

    with redirect_stdout(sys.stderr):  # nothing that a library prints may get into the answer
        answer = msgspec.msgpack.encode(read_net(getattr(networks, name)()))
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    # pandapower's modules take a second to tear down and hold nothing that must be.
    os._exit(0)


def read_net(net: Any) -> CaseData:
    """Run a power flow and return the columns of a pandapower net."""
    import pandapower

    pandapower.runpp(net, numba=False)
    lines = net.line[net.line.in_service]
    transformers = net.trafo[net.trafo.in_service]
    x, y = _read_places(net)
    return CaseData(
        version=pandapower.__version__,
        bus_names=[int(bus_name) for bus_name in net.bus.name],
        x=x,
        y=y,
        features=_read_features(net),
        roles=_read_roles(net),
        lines=_read_ends(net, lines.from_bus, lines.to_bus),
        transformers=_read_ends(net, transformers.hv_bus, transformers.lv_bus),
        out_of_service=len(net.line) + len(net.trafo) - len(lines) - len(transformers),
    )


def _read_features(net: Any) -> dict[str, list[float]]:
    loads = net.load[net.load.in_service]
    positions = _positions(net, loads.bus)
    columns = {
        "Pd": _sum_by_bus(net, positions, loads.p_mw * loads.scaling),
        "Qd": _sum_by_bus(net, positions, loads.q_mvar * loads.scaling),
        "Vm": net.res_bus.vm_pu.to_numpy(),
        "Va": net.res_bus.va_degree.to_numpy(),
        "base_kv": net.bus.vn_kv.to_numpy(),
    }
    return {name: np.round(column, _DECIMALS).tolist() for name, column in columns.items()}


def _sum_by_bus(net: Any, positions: list[int], values: Any) -> FloatArray:
    summed = np.bincount(positions, weights=values.to_numpy(np.float64), minlength=len(net.bus))
    return summed.astype(np.float64)


def _read_roles(net: Any) -> list[int]:
    roles = np.full(len(net.bus), _NEITHER)
    loads = net.load[net.load.in_service & ((net.load.p_mw != 0) | (net.load.q_mvar != 0))]
    roles[_positions(net, loads.bus)] = _LOAD
    roles[_generating(net)] = _GENERATOR
    return list(roles.tolist())


def _generating(net: Any) -> BoolArray:
    found = np.zeros(len(net.bus), dtype=np.bool_)
    for table in _GENERATORS:
        elements = net[table][net[table].in_service]
        found[_positions(net, elements.bus)] = True
    return found


def _read_ends(net: Any, sources: Any, targets: Any) -> list[tuple[int, int]]:
    return list(zip(_positions(net, sources), _positions(net, targets), strict=True))


def _positions(net: Any, buses: Iterable[Any]) -> list[int]:
    return [int(position) for position in net.bus.index.get_indexer(list(buses))]


def _read_places(net: Any) -> tuple[list[float], list[float]]:
    places = [json.loads(geo)["coordinates"] for geo in net.bus.geo]
    return [float(place[0]) for place in places], [float(place[1]) for place in places]


if __name__ == "__main__":
    main()
