"""Substations of CGMES: from the node over its voltage level, or bay, to the substation."""

import io
import zipfile

import pytest

from app.errors import GridRejected
from app.ingest.formats.powerio import cgmes
from app.ingest.formats.powerio.substations import find_substation_names
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
    names = find_substation_names(
        [nodes, _EQUIPMENT], ["n1", "n2", "n3", "n4", "n5", "n6", "absent"]
    )
    # Two substations are called South: they go by their ids.
    assert names == ["North", "North", "s2", "", "s3", "", ""]


def test_a_document_that_is_not_well_formed_is_refused() -> None:
    with pytest.raises(GridRejected, match="CGMES"):
        find_substation_names([_EQUIPMENT[:200]], [])


def test_a_model_arrives_with_its_substations() -> None:
    grid = cgmes.read(ask("cgmes", _join_stations("C", "B"))).grid
    assert grid.substations is not None
    assert grid.substations.source == "file"
    assert grid.substations.groups.tolist() == [0, 1, 1, 2, 3]
    assert grid.substations.names == ("A", "B", "D", "E")


def test_a_model_with_one_substation_per_bus_has_none() -> None:
    assert cgmes.read(ask("cgmes", make_archive())).grid.substations is None


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
