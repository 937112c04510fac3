"""``python -m app.ingest.cases.net_reader NAME [OPTION=VALUE ...]``: a built-in net of pandapower.

The answer on standard output is that of a reader of files; see ``app.ingest.protocol``.
"""

import os
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from typing import Any

import pandapower
import pandapower.networks

from app.grid.grid import ReadGrid
from app.ingest.build.centrality import add_topology_columns
from app.ingest.cases.sizes import CASE_SIZES, NET_SIZES
from app.ingest.formats.pandapower import network as pandapower_json
from app.ingest.protocol import Request, encode_grid

_DECIMALS = 6
"""A power flow agrees between machines to more digits than these, so the content hash does."""
_RESULTS = ("res_bus", "res_gen", "res_sgen", "res_ext_grid")
_COUNTED_FROM_ZERO = frozenset(
    (
        *("case4gs", "case5", "case_ieee30", "case33bw", "case89pegase", "case145"),
        *("case_illinois200", "case1354pegase", "case1888rte", "case2848rte", "case2869pegase"),
        *("case3120sp", "case6470rte", "case6495rte", "case6515rte", "case9241pegase"),
        *("GBnetwork", "GBreducednetwork", "iceland"),
    )
)
"""Nets whose bus names are the numbers of their source, less one."""


def main() -> None:
    """Read the net that the command line names and write it out."""
    name, *given = sys.argv[1:]
    if name not in CASE_SIZES and name not in NET_SIZES:
        sys.exit(f"{name} is not a built-in case")
    options = dict(option.split("=", 1) for option in given)
    with redirect_stdout(sys.stderr):  # nothing that a library prints may get into the answer
        answer = encode_grid(read_net(name, options))
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    # pandapower's modules take a second to tear down and hold nothing that must be.
    os._exit(0)


def read_net(name: str, options: dict[str, str]) -> ReadGrid:
    """Make a net, solve it where that is possible, and read it like an upload."""
    net: Any = getattr(pandapower.networks, name)()
    if name in _COUNTED_FROM_ZERO:
        net.bus["name"] = [str(int(number) + 1) for number in net.bus.name]
    with suppress(pandapower.LoadflowNotConverged):
        pandapower.runpp(net, numba=False)
        for table in _RESULTS:
            net[table] = net[table].round(_DECIMALS)
    request = Request("pandapower", {"file": pandapower.to_json(net).encode()}, options)
    read = pandapower_json.read(request)
    if options.get("columns") == "topology":
        read = add_topology_columns(read)
    source = f"pandapower {pandapower.__version__} {name}"
    notes = [*read.report["notes"], *_list_notes(name)]
    return replace(
        read,
        grid=replace(read.grid, name=name, source=source),
        report=read.report | {"notes": notes},
    )


def _list_notes(name: str) -> list[str]:
    notes = [
        "Vm, Va and generation come from an AC power flow that the reader ran.",
        "Coordinates are those of pandapower's drawing, not of a map.",
    ]
    if name not in CASE_SIZES:
        return notes
    return [
        f"Bus ids are the MATPOWER numbers of {name}; pandapower has dropped its areas.",
        "What MATPOWER has as a negative load is a generator.",
        *notes,
    ]


if __name__ == "__main__":
    main()
