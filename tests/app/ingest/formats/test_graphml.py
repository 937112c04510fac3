import json

import networkx as nx
import pytest

from app.errors import GridRejected
from app.ingest.formats import graphml, node_link
from tests.app.ingest.requests import ask, report_of

_HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def _make_graph() -> nx.MultiGraph:
    graph = nx.MultiGraph()
    graph.add_node("a", Pd=1.5, zone="north", lat=50.0, lon=8.0)
    graph.add_node("b", Pd=0.0, zone="south", lat=51.0, lon=8.5)
    graph.add_node("007", Pd=2.0, zone="south", lat=52.0, lon=9.0)
    graph.add_edge("a", "b", weight=2.0, kind="line")
    graph.add_edge("a", "b", weight=3.0, kind="transformer")
    graph.add_edge("b", "007", weight=1.0, kind="line")
    return graph


def _graphml(graph: nx.Graph) -> str:
    return "\n".join(nx.generate_graphml(graph))


def test_a_graph_of_networkx_is_read_with_its_attributes() -> None:
    read = graphml.read(ask("graphml", _graphml(_make_graph())))
    assert read.grid.bus_ids == ("a", "b", "007")
    assert read.grid.feature_names == ("Pd",)
    assert read.grid.weights.tolist() == [2, 3, 1]
    assert read.grid.kind_names == ("line", "transformer")
    assert read.grid.coordinate_system == "geographic"
    assert [label_set.name for label_set in read.label_sets] == ["zone"]


def test_node_link_json_gives_the_same_graph() -> None:
    document = nx.node_link_data(_make_graph(), edges="edges")
    read = node_link.read(ask("json", json.dumps(document)))
    other = graphml.read(ask("graphml", _graphml(_make_graph())))
    assert read.grid.bus_ids == other.grid.bus_ids
    assert read.grid.ends.tolist() == other.grid.ends.tolist()
    assert read.grid.features.tolist() == other.grid.features.tolist()
    assert read.label_sets[0].classes.tolist() == other.label_sets[0].classes.tolist()


def test_a_note_reports_branch_kinds_that_are_numbers() -> None:
    read = graphml.read(ask("graphml", _graphml(nx.Graph([("a", "b", {"kind": 3.0})]))))
    assert any("'kind'" in note for note in read.report.notes)
    words = graphml.read(ask("graphml", _graphml(_make_graph())))
    assert not any("'kind'" in note for note in words.report.notes)


def test_a_note_reports_that_directions_are_ignored() -> None:
    read = graphml.read(ask("graphml", _graphml(nx.DiGraph([("a", "b")]))))
    assert any("directions" in note for note in read.report.notes)


def test_data_with_an_undeclared_key_are_reported() -> None:
    text = (
        f'{_HEAD}<key id="d" for="node" attr.name="Pd" attr.type="double"/><graph>'
        '<node id="a"><data key="d">1</data></node><node id="b"><data key="d9">2</data></node>'
        "</graph></graphml>"
    )
    read = graphml.read(ask("graphml", text))
    assert read.grid.feature_names == ("degree",)
    not_numbers = {"count": 1, "first": ["node 2: empty"]}
    assert report_of(read)["columns_not_kept"] == [{"name": "Pd", "not_numbers": not_numbers}]
    assert "1 data element(s) have a key that no <key> declares: 'd9'." in read.report.notes


def test_all_faults_of_a_graph_are_listed_at_once() -> None:
    text = (
        f'{_HEAD}<key id="d" for="node" attr.name="Pd" attr.type="double"/><graph>'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"/>'
        '<node id="a"><data key="d">much</data></node><node id="a"/><node id="b "/>'
        '<edge source="a" target="z"><data key="w">-1</data></edge><edge source="a"/>'
        "</graph></graphml>"
    )
    with pytest.raises(GridRejected, match="7 faults") as caught:
        graphml.read(ask("graphml", text, weight="rating"))
    assert [str(fault) for fault in caught.value.faults] == [
        "node 'a': appears more than once",
        "edge 2 target: is missing",
        "node 'a': 'Pd' is not a number",
        "weight: this format has no electrical columns: choose 'given' or 'one'",
        "node 2 id: begins or ends with a blank",
        "edge 1 target: there is no bus 'z'",
        "edge 1 weight: -1 is not positive",
    ]


def test_a_default_value_fills_missing_data_of_a_node() -> None:
    text = (
        f'{_HEAD}<key id="d" for="node" attr.name="Pd" attr.type="double"><default>4</default>'
        '</key><graph edgedefault="undirected"><node id="a"/><node id="b"><data key="d">1</data>'
        '</node><edge source="a" target="b"/></graph></graphml>'
    )
    assert graphml.read(ask("graphml", text)).grid.features.tolist() == [[4], [1]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<graphml>",
        "<html></html>",
        '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>',
        '<!DOCTYPE x SYSTEM "file:///etc/passwd"><graphml><graph/></graphml>',
        f"{_HEAD}{'<a>' * 100}{'</a>' * 100}</graphml>",
        f'{_HEAD}<graph><node id="a"><graph/></node></graph></graphml>',
        f'{_HEAD}<graph><node id="a"/><node id="a"/></graph></graphml>',
        f'{_HEAD}<graph><node id="a"/><edge source="a" target="z"/></graph></graphml>',
        f"{_HEAD}<graph><hyperedge/></graph></graphml>",
        f"{_HEAD}<graph></graph></graphml>",
        (
            f'{_HEAD}<key id="d" for="node" attr.name="Pd" attr.type="double"/><graph>'
            '<node id="a"><data key="d">much</data></node></graph></graphml>'
        ),
        (
            f'{_HEAD}<key id="d" for="edge" attr.name="weight" attr.type="double"/><graph>'
            '<node id="a"/><node id="b"/><edge source="a" target="b"><data key="d">nan</data>'
            "</edge></graph></graphml>"
        ),
        '<?xml version="1.0" encoding="klingon"?><graphml/>',
    ],
)
def test_broken_or_hostile_xml_is_refused(text: str) -> None:
    with pytest.raises(GridRejected):
        graphml.read(ask("graphml", text))
