"""Substations, regions and places of CGMES.

The way goes from the node over its voltage level, or bay, to the substation and its region.
"""

import io
import zipfile

import numpy as np
import pytest

from app.errors import GridRejected
from app.ingest.formats.powerio import cgmes
from app.ingest.formats.powerio.profiles import find_node_places
from tests.app.ingest.formats.powerio.hand_made_cgmes import make_archive, mrid
from tests.app.ingest.requests import ask

_HEAD = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:cim="http://iec.ch/TC57/2013/CIM-schema-cim16#">'
)
_EQUIPMENT = f"""{_HEAD}
<cim:Substation rdf:ID="_s1"><cim:IdentifiedObject.name>North</cim:IdentifiedObject.name>
</cim:Substation>
<cim:Substation rdf:about="urn:uuid:s2"><cim:IdentifiedObject.name>South</cim:IdentifiedObject.name>
</cim:Substation>
<cim:Substation rdf:ID="_s3"><cim:IdentifiedObject.name>South</cim:IdentifiedObject.name>
</cim:Substation>
<cim:VoltageLevel rdf:ID="_v1"><cim:IdentifiedObject.name>110</cim:IdentifiedObject.name>
<cim:VoltageLevel.Substation rdf:resource="#_s1"/></cim:VoltageLevel>
<cim:VoltageLevel rdf:ID="_v2"><cim:VoltageLevel.Substation rdf:resource="#_s2"/></cim:VoltageLevel>
<cim:Bay rdf:ID="_b1"><cim:Bay.VoltageLevel rdf:resource="#_v1"/></cim:Bay>
<cim:Line rdf:ID="_l1"/>
</rdf:RDF>""".encode()


def _write_nodes(**containers: str) -> bytes:
    nodes = "".join(
        f'<cim:TopologicalNode rdf:ID="_{node}"><cim:TopologicalNode.ConnectivityNodeContainer '
        f'rdf:resource="#_{container}"/></cim:TopologicalNode>'
        for node, container in containers.items()
    )
    return f"{_HEAD}{nodes}</rdf:RDF>".encode()


def test_a_node_is_found_in_its_substation() -> None:
    nodes = _write_nodes(n1="v1", n2="b1", n3="v2", n4="l1", n5="s3", n6="n6")
    buses = ["n1", "n2", "n3", "n4", "n5", "n6", "absent"]
    names = find_node_places([nodes, _EQUIPMENT], buses).substations
    # Two substations are called South: they go by their ids.
    assert names == ["North", "North", "s2", "", "s3", "", ""]


def test_a_document_that_is_not_well_formed_is_refused() -> None:
    with pytest.raises(GridRejected, match="CGMES"):
        find_node_places([_EQUIPMENT[:200]], [])


def test_a_model_arrives_with_its_substations() -> None:
    grid = cgmes.read(ask("cgmes", _join_stations("C", "B"))).grid
    assert grid.substations is not None
    assert grid.substations.source == "file"
    assert grid.substations.groups.tolist() == [0, 1, 1, 2, 3]
    assert grid.substations.names == ("A", "B", "D", "E")


def test_a_model_with_one_substation_per_bus_has_none() -> None:
    assert cgmes.read(ask("cgmes", make_archive())).grid.substations is None


def _add_profile(archive: bytes, body: str) -> bytes:
    """Return a model with one more profile."""
    stream = io.BytesIO(archive)
    with zipfile.ZipFile(stream, "a") as extended:
        extended.writestr("more.xml", f"{_HEAD}{body}</rdf:RDF>")
    return stream.getvalue()


def _place(station: str, points: str, system: str = "") -> str:
    location = f"location {station}"
    reference = f'<cim:Location.CoordinateSystem rdf:resource="#_{system}"/>' if system else ""
    rows = (point.split() for point in points.split(";"))
    return (
        f'<cim:Location rdf:ID="_{mrid(location)}">{reference}'
        f'<cim:Location.PowerSystemResources rdf:resource="#_{mrid(f"station {station}")}"/>'
        "</cim:Location>"
    ) + "".join(
        f'<cim:PositionPoint rdf:ID="_{station}{order}">'
        f'<cim:PositionPoint.Location rdf:resource="#_{mrid(location)}"/>'
        f"<cim:PositionPoint.sequenceNumber>{order}</cim:PositionPoint.sequenceNumber>"
        f"<cim:PositionPoint.xPosition>{x}</cim:PositionPoint.xPosition>"
        f"<cim:PositionPoint.yPosition>{y}</cim:PositionPoint.yPosition></cim:PositionPoint>"
        for order, x, y in rows
    )


def test_the_gl_profile_places_the_buses_of_a_substation() -> None:
    body = _place("A", "2 9 9;1 4.5 50.5") + _place("B", "1 5.25 51") + _place("C", "1 x 51")
    read = cgmes.read(ask("cgmes", _add_profile(make_archive(), body)))
    expected = [[4.5, 50.5], [5.25, 51.0]] + [[np.nan, np.nan]] * 3
    np.testing.assert_array_equal(read.grid.coordinates, expected)
    assert read.grid.coordinate_system == "geographic"


@pytest.mark.parametrize(
    ("urns", "system"),
    [
        (["urn:ogc:def:crs:EPSG::4326"], "EPSG:4326"),
        (["urn:ogc:def:crs:EPSG:7.4:25832"], "EPSG:25832"),
        (["EPSG:3035"], "EPSG:3035"),
        (["urn:ogc:def:crs:EPSG::4326", "urn:ogc:def:crs:EPSG::3035"], None),
        (["a local system"], None),
        ([], "EPSG:4326"),
    ],
)
def test_the_reference_system_is_that_of_the_profile(urns: list[str], system: str | None) -> None:
    systems = "".join(
        f'<cim:CoordinateSystem rdf:ID="_c{at}"><cim:CoordinateSystem.crsUrn>{urn}'
        "</cim:CoordinateSystem.crsUrn></cim:CoordinateSystem>"
        for at, urn in enumerate(urns)
    )
    document = f"{_HEAD}{systems}</rdf:RDF>".encode()
    assert find_node_places([document], ["bus"]).reference_system == system


def test_projected_coordinates_are_a_drawing_until_they_are_converted() -> None:
    body = _place("A", "1 691607.9 5334760.4", system="c") + (
        '<cim:CoordinateSystem rdf:ID="_c"><cim:CoordinateSystem.crsUrn>'
        "urn:ogc:def:crs:EPSG::25832</cim:CoordinateSystem.crsUrn></cim:CoordinateSystem>"
    )
    read = cgmes.read(ask("cgmes", _add_profile(make_archive(), body)))
    assert read.grid.coordinate_system == "schematic"
    assert read.report.places.reference_system == "EPSG:25832"


def test_regions_are_those_of_the_substations_and_there_is_no_area() -> None:
    read = cgmes.read(ask("cgmes", _split_regions()))
    labels = {one.name: one for one in read.label_sets}
    assert "area" not in labels
    assert "zone" not in labels
    assert labels["region"].class_names == ("R", "South")
    # The substation of A is in the other region; the subregions have no name and go by their ids.
    assert labels["region"].classes.tolist() == [1, 0, 0, 0, 0]
    assert set(labels["subregion"].class_names) == {mrid("sub"), mrid("sub2")}


def test_no_region_is_made_up() -> None:
    read = cgmes.read(ask("cgmes", make_archive()))
    assert {one.name for one in read.label_sets} == {"role", "bus_type"}
    assert any("every bus has the same region 'R'" in note for note in read.report.notes)
    assert not any("area" in note for note in read.report.notes)


def _split_regions() -> bytes:
    body = (
        f'<cim:GeographicalRegion rdf:ID="_{mrid("region2")}"><cim:IdentifiedObject.name>South'
        "</cim:IdentifiedObject.name></cim:GeographicalRegion>"
        f'<cim:SubGeographicalRegion rdf:ID="_{mrid("sub2")}"><cim:SubGeographicalRegion.Region '
        f'rdf:resource="#_{mrid("region2")}"/></cim:SubGeographicalRegion>'
    )
    old = f'<cim:Substation.Region rdf:resource="#_{mrid("sub")}"/>'
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_archive())) as whole, zipfile.ZipFile(stream, "w") as made:
        for name in whole.namelist():
            new = old.replace(mrid("sub"), mrid("sub2"))
            made.writestr(name, whole.read(name).decode().replace(old, new, 1))
    return _add_profile(stream.getvalue(), body)


def _join_stations(old: str, new: str) -> bytes:
    """Return the hand-made model with the voltage level of one station in another one."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(make_archive())) as archive,
        zipfile.ZipFile(stream, "w") as joined,
    ):
        for name in archive.namelist():
            text = archive.read(name).decode()
            reference = '<cim:VoltageLevel.Substation rdf:resource="#_{}"/>'
            text = text.replace(
                reference.format(mrid(f"station {old}")), reference.format(mrid(f"station {new}"))
            )
            joined.writestr(name, text)
    return stream.getvalue()
