"""``python -m app.ingest.net_reader NAME``: a net of pandapower as msgpack on standard output."""

import os
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from typing import Any

import pandapower
import pandapower.networks

from app.ingest import pandapower_json
from app.ingest.case_sizes import NET_SIZES
from app.ingest.exchange import Request, encode_grid
from app.ingest.grid import ReadGrid

_COUNTED_FROM_ZERO = ("GBnetwork", "GBreducednetwork", "iceland")
"""Nets whose bus names are the numbers of their source, less one."""


def main() -> None:
    """Read the net that the command line names and write it out."""
    name = sys.argv[1]
    if name not in NET_SIZES:
        sys.exit(f"{name} is not a built-in case")
    with redirect_stdout(sys.stderr):  # nothing that a library prints may get into the answer
        answer = encode_grid(read_net(name))
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    os._exit(0)


def read_net(name: str) -> ReadGrid:
    """Make a net, solve it where that is possible, and read it like an upload."""
    net: Any = getattr(pandapower.networks, name)()
    if name in _COUNTED_FROM_ZERO:
        net.bus["name"] = [str(int(number) + 1) for number in net.bus.name]
    with suppress(pandapower.LoadflowNotConverged):
        pandapower.runpp(net, numba=False)
    request = Request("pandapower", {"file": pandapower.to_json(net).encode()})
    read = pandapower_json.read(request)
    source = f"pandapower {pandapower.__version__} {name}"
    return replace(read, grid=replace(read.grid, name=name, source=source))


if __name__ == "__main__":
    main()
