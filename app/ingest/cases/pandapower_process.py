"""Built-in networks of pandapower, made and solved in their own process.

pandapower takes seconds and much memory to import, so the service never imports it: ``read_case``
runs in the service, ``read`` in the process.
"""

from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import Any

import msgspec

from app.errors import CaseUnreadable, ReaderNotStarted
from app.grid.grid import Grid
from app.grid.report import ReadGrid
from app.ingest.cases.sizes import CASE_SIZES, PANDAPOWER_SIZES
from app.ingest.protocol import ReadLimits, ReadOptions, Request
from app.ingest.sandbox.run import ReaderFailed, run_process
from app.storage.cache import BoundedCache

_READER = "pandapower case"
_SECONDS = 300.0
_CASES_REMEMBERED = 4
_DECIMALS = 6
"""A power flow agrees between machines to more digits than these, and so does the content hash."""
_RESULTS = ("res_bus", "res_gen", "res_sgen", "res_ext_grid")
_COUNTED_FROM_ZERO = frozenset(
    (
        *("case4gs", "case5", "case_ieee30", "case33bw", "case89pegase", "case145"),
        *("case_illinois200", "case1354pegase", "case1888rte", "case2848rte", "case2869pegase"),
        *("case3120sp", "case6470rte", "case6495rte", "case6515rte", "case9241pegase"),
        *("GBnetwork", "GBreducednetwork", "iceland"),
    )
)
"""Networks whose bus names are the numbers of their source minus one."""

_reading = Lock()
_remembered: BoundedCache[ReadGrid] = BoundedCache(_CASES_REMEMBERED)


def read_case(name: str, options: ReadOptions = ReadOptions()) -> ReadGrid:  # noqa: B008 - frozen
    """Return a case of ``PANDAPOWER_SIZES``, from memory if it was read before.

    Raises: GridRejected for an option that does not suit a power grid, CaseUnreadable.
    """
    key = msgspec.json.encode((name, options)).decode()
    remembered = _remembered.find(key)
    if remembered is not None:
        return remembered
    with _reading:  # one at a time: each takes a processor for seconds and a lot of memory
        return _remembered.get_or_load(key, lambda: _ask_pandapower(name, options))


def _ask_pandapower(name: str, options: ReadOptions) -> ReadGrid:
    request = Request(_READER, {"name": name.encode()}, options, ReadLimits(seconds=_SECONDS))
    try:
        return run_process(__name__, request, confined=False)
    except (ReaderFailed, ReaderNotStarted) as error:
        raise CaseUnreadable(f"The case {name} could not be read; try again.") from error


def read(request: Request) -> ReadGrid:
    """Make a network, solve it if possible, and read it like an uploaded file."""
    import pandapower
    import pandapower.networks

    from app.ingest.formats.pandapower import network

    name = request.files["name"].decode()
    if name not in PANDAPOWER_SIZES:
        raise LookupError(name)
    net: Any = getattr(pandapower.networks, name)()
    if name in _COUNTED_FROM_ZERO:
        net.bus["name"] = [str(int(number) + 1) for number in net.bus.name]
    with suppress(pandapower.LoadflowNotConverged):
        pandapower.runpp(net, numba=False)
        for table in _RESULTS:
            net[table] = net[table].round(_DECIMALS)
    content = pandapower.to_json(net).encode()
    read_grid = network.read(Request("pandapower", {"file": content}, request.options))
    source = f"pandapower {pandapower.__version__} {name}"
    return replace(
        read_grid,
        grid=replace(read_grid.grid, name=name, source=source),
        report=read_grid.report.add_notes(_list_notes(name, read_grid.grid)),
    )


def _list_notes(name: str, grid: Grid) -> list[str]:
    notes = [
        "Vm, Va and generation come from an AC power flow that the reader ran.",
    ]
    if grid.coordinate_system == "schematic":
        notes.append("Coordinates are those of pandapower's drawing, not of a map.")
    if name not in CASE_SIZES:
        return notes
    return [
        f"Bus ids are the MATPOWER numbers of {name}; pandapower has dropped its areas.",
        "A negative load of MATPOWER is a generator here.",
        *notes,
    ]
