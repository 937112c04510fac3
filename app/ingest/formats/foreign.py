"""Formats that are recognised but not read: their names, and how to convert them."""

import re
from collections.abc import Callable
from typing import NamedTuple

from app.ingest.formats.archives import is_netcdf, is_pypsa, is_truncated, list_base_names

_HEAD = 4096
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICKLES = tuple(b"\x80" + bytes((protocol,)) for protocol in range(2, 6))
_GML = re.compile(rb"(\s*(#|Creator|Version|comment)[^\n]*\n)*\s*graph\s*\[", re.IGNORECASE)
_SAVED_CASE = re.compile(rb"PSS(/|-|\(R\)|\xae|\xc2\xae)?E")
_POWSYBL = 'pypowsybl.network.load("grid.{}").save("grid.mat", format="MATPOWER")'


class ForeignFormat(NamedTuple):
    """A format that is not read: its title and the way to one that is."""

    title: str
    advice: str
    recognise: Callable[[bytes], bool]


def find_foreign(content: bytes) -> ForeignFormat | None:
    """Return the foreign format that the content shows."""
    return next((form for form in FOREIGN if form.recognise(content)), None)


def _head(content: bytes) -> bytes:
    return content[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()


def _is_xml_with(content: bytes, mark: bytes) -> bool:
    head = _head(content)
    return head.startswith(b"<") and mark in head


def _is_json_with(content: bytes, *marks: bytes) -> bool:
    head = _head(content)
    return head.startswith(b"{") and all(mark in head for mark in marks)


def _is_binary_with(content: bytes, pattern: re.Pattern[bytes]) -> bool:
    head = content[:_HEAD]
    return b"\0" in head and not head.startswith(b"MATLAB") and bool(pattern.search(head))


def _is_excel(content: bytes) -> bool:
    return content.startswith(_OLE) or "workbook.xml" in list_base_names(content)


FOREIGN = (
    ForeignFormat(
        "XIIDM",
        f"convert it to MATPOWER with pypowsybl: {_POWSYBL.format('xiidm')}",
        lambda content: _is_xml_with(content, b"iidm:network"),
    ),
    ForeignFormat(
        "JIIDM",
        f"convert it to MATPOWER with pypowsybl: {_POWSYBL.format('jiidm')}",
        lambda content: _is_json_with(content, b'"caseDate"', b'"forecastDistance"'),
    ),
    ForeignFormat(
        "PSS/E RAWX",
        "save the case as RAW in PSS/E, or convert it to MATPOWER with pypowsybl: "
        + _POWSYBL.format("rawx"),
        lambda content: _is_json_with(content, b'"network"', b'"caseid"', b'"fields"'),
    ),
    ForeignFormat(
        "GeoJSON",
        "it has places, but no branches between buses: send CSV files of branches "
        "(source, target) and of buses (id, lat, lon)",
        lambda content: _is_json_with(content, b'"type"', b'"FeatureCollection"'),
    ),
    ForeignFormat(
        "a truncated netCDF or HDF5 file",
        "it ends before its end: send the whole file",
        is_truncated,
    ),
    ForeignFormat(
        "netCDF or HDF5 without a PyPSA network",
        "write PyPSA networks with network.export_to_netcdf, MATLAB 7.3 files with save -v7",
        lambda content: is_netcdf(content) and not is_pypsa(content),
    ),
    ForeignFormat(
        "GML (Graph Modelling Language)",
        'convert it to GraphML: networkx.write_graphml(networkx.read_gml("grid.gml"), '
        '"grid.graphml")',
        lambda content: bool(_GML.match(content[:_HEAD])),
    ),
    ForeignFormat(
        "GML (Geography Markup Language)",
        "it has places, but no branches between buses: send CSV files of branches and of buses",
        lambda content: _is_xml_with(content, b"opengis.net/gml"),
    ),
    ForeignFormat(
        "Excel",
        "save the sheets of branches and buses as CSV and send them as `file` and `buses`; "
        'for a pandapower workbook: pandapower.to_json(pandapower.from_excel("grid.xlsx"), '
        '"grid.json")',
        _is_excel,
    ),
    ForeignFormat(
        "PowerFactory",
        "export the project in PowerFactory as CGMES (zip of all profiles) or PSS/E RAW",
        lambda content: (
            _head(content).startswith(b"$$General")
            or _is_binary_with(content, re.compile(rb"(?i)digsilent|powerfactory"))
        ),
    ),
    ForeignFormat(
        "a PSS/E saved case (.sav)",
        "only PSS/E itself reads it: open the case there and save it as RAW, revision 33 or 34",
        lambda content: _is_binary_with(content, _SAVED_CASE),
    ),
    ForeignFormat(
        "a Python pickle",
        "a pickle can run any program and is never read: write a pandapower network with "
        "pandapower.to_json",
        lambda content: content.startswith(_PICKLES),
    ),
)
"""Foreign formats; the first one whose recogniser agrees is named."""
