"""Reader of OpenDSS: a zip of scripts, or one script; bus ids are bus names in lower case."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.errors import GridRejected
from app.grid.listing import join_first
from app.grid.report import ReadGrid, SourceNotes
from app.grid.text_rules import find_text_problem, replace_controls, shorten
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.opendss.archive import Scripts, choose_main
from app.ingest.formats.opendss.script import Script
from app.ingest.formats.opendss.tables import TracedCircuit, make_network, make_tables
from app.ingest.protocol import Request
from ml.errors import Fault

_MOST_SHOWN = 10


def read(request: Request) -> ReadGrid:
    """Read a circuit; missing files are reported. Raises: GridRejected listing every fault."""
    files = Scripts(request.files["file"])
    main = choose_main(files)
    script = Script(files)
    script.run(main)
    network = make_network(script.circuit)
    faults = [*script.faults, *script.circuit.faults, *_list_bus_faults(network)]
    if not script.circuit.name and not faults:
        faults.append(Fault(files.get_title(main), "ends without a circuit, after Clear"))
    if faults:
        raise GridRejected("The OpenDSS script has errors.", faults)
    notes = SourceNotes(
        statements_not_read=dict(sorted(script.unread.items())),
        files_missing=sorted(script.missing),
        switches=network.count_switches(),
        buses_without_supply=sum(bus not in network.voltages for bus in network.titles),
    )
    with np.errstate(all="ignore"):  # numbers that are not finite are listed as faults later
        tables = make_tables(script.circuit, network, script.places)
    remarks = (*_list_files(files, main), *_list_remarks(network, script))
    return build_power_grid(replace(tables, notes=notes, remarks=remarks), request)


def _list_bus_faults(network: TracedCircuit) -> Iterator[Fault]:
    for bus, title in network.titles.items():
        problem = find_text_problem(replace_controls(bus))
        if problem and not bus:
            yield Fault("bus", "an element has no bus")
        elif problem:
            yield Fault(f"bus {shorten(title)}", problem)


def _list_files(files: Scripts, main: str) -> Iterator[str]:
    title = files.get_title(main)
    yield f"read from {title}"
    others = [files.get_title(other) for other in files.list_unread()]
    if others:
        yield (
            f"scripts that {title} does not include were not read (to start with another script, "
            f"name it master.dss): {join_first(others, _MOST_SHOWN)}"
        )


def _list_remarks(network: TracedCircuit, script: Script) -> Iterator[str]:
    if script.problems:
        count, first = len(script.problems), script.problems[0]
        yield f"{count} propert(ies) or references are unknown and left out; first: {first}"
    unknown = sum(not branch.is_known for branch in network.branches)
    if unknown:
        yield (
            f"{unknown} line(s) have no impedance, because their line code or wires are not read "
            "or missing"
        )
    if network.left_out:
        yield f"{network.left_out} disabled branch(es) end at buses that nothing else uses"
    if script.places.unreadable:
        yield f"{script.places.unreadable} row(s) of bus coordinates are not a bus and two numbers"
    if script.places.drawn and not script.places.geographic:
        yield (
            "Buscoords name no reference system: the coordinates are kept as a drawing; the field "
            "`coordinates` can name one"
        )
