"""Reader of GraphML: expat without DTD and entities, with limits on depth, length and count."""

from collections import Counter
from dataclasses import dataclass, field
from xml.parsers import expat

from app.errors import GridRejected
from app.grid.listing import join_first
from app.grid.report import ReadGrid
from app.grid.text_rules import shorten
from app.ingest.build.attributes import Scalar
from app.ingest.build.plain_graph import Ends, PlainGraph, build_plain_grid
from app.ingest.formats.guards.xml_guard import guard_parser, parse_guarded
from app.ingest.protocol import Request
from ml.errors import Fault

_MOST_KEYS = 300
_MOST_TEXT = 10_000
_NUMBER_TYPES = ("int", "long", "float", "double")
_MOST_SHOWN = 5
_NOT_READ = ("hyperedge", "port", "endpoint")


@dataclass
class _Key:
    target: str
    name: str
    kind: str
    default: str | None = None


@dataclass
class _Reading:
    bus_limit: int
    branch_limit: int
    keys: dict[str, _Key] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[Ends, dict[str, str]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    undeclared: Counter[str] = field(default_factory=Counter)
    graphs: int = 0
    directed: bool = False
    owner: dict[str, str] | None = None
    key: str = ""
    text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        match tag.rpartition(" ")[2]:
            case "key":
                self._start_key(attributes)
            case "graph":
                self.graphs += 1
                self.directed = attributes.get("edgedefault") == "directed"
                if self.graphs > 1:
                    raise GridRejected(
                        "The file has more than one graph, or a graph inside another."
                    )
            case "node":
                self._start_node(attributes.get("id", ""))
            case "edge":
                self._start_edge(attributes)
            case "data" | "default":
                self.key = attributes.get("key", self.key)
                self.text = []
            case name if name in _NOT_READ:
                raise GridRejected(f"GraphML with the element {name!r} is not supported.")

    def end(self, tag: str) -> None:
        """Handle the end of an element: store its text."""
        match tag.rpartition(" ")[2]:
            case "data":
                self._end_data("".join(self.text or ()))
            case "default" if self.key in self.keys:
                self.keys[self.key].default = "".join(self.text or ())
                self.text = None
            case "node" | "edge":
                self.owner = None

    def take_text(self, text: str) -> None:
        """Collect the text of a data element."""
        if self.text is not None:
            self.text.append(text)
            if len(text) > _MOST_TEXT or len(self.text) > _MOST_TEXT:
                raise GridRejected("A data element is too long.")

    def _start_key(self, attributes: dict[str, str]) -> None:
        if len(self.keys) >= _MOST_KEYS:
            raise GridRejected(f"The file declares more than {_MOST_KEYS} keys.")
        self.key = attributes.get("id", "")
        name = attributes.get("attr.name", self.key)
        kind = attributes.get("attr.type", "string")
        self.keys[self.key] = _Key(attributes.get("for", "all"), name, kind)

    def _start_node(self, node: str) -> None:
        self.owner = {}
        if self.nodes.setdefault(node, self.owner) is not self.owner:
            self.faults.append(Fault(f"node {node[:40]!r}", "appears more than once"))
        if len(self.nodes) > self.bus_limit:
            raise GridRejected(f"The file has more than {self.bus_limit:,} nodes.")

    def _start_edge(self, attributes: dict[str, str]) -> None:
        self.owner = {}
        ends = attributes.get("source"), attributes.get("target")
        self.edges.append((ends, self.owner))
        if len(self.edges) > self.branch_limit:
            raise GridRejected(f"The file has more than {self.branch_limit:,} edges.")
        for name in ("source", "target"):
            if name not in attributes:
                self.faults.append(Fault(f"edge {len(self.edges)} {name}", "is missing"))

    def _end_data(self, text: str) -> None:
        self.text = None
        if self.owner is None:
            return
        if self.key in self.keys:
            self.owner[self.key] = text.strip()
        elif self.key in self.undeclared or len(self.undeclared) < _MOST_KEYS:
            self.undeclared[self.key] += 1


def read(request: Request) -> ReadGrid:
    """Read one graph. Raises: GridRejected listing every fault."""
    reading = _Reading(request.limits.buses, request.limits.branches)
    parser = guard_parser(expat.ParserCreate(namespace_separator=" "))
    parser.start(reading.start)
    parser.end(reading.end)
    parser.text(reading.take_text)
    parse_guarded(parser, request.files["file"], "GraphML")
    if not reading.graphs:
        raise GridRejected("The file has no graph.")
    return build_plain_grid(_to_plain(reading), request)


def _to_plain(reading: _Reading) -> PlainGraph:
    node_keys = {name: key for name, key in reading.keys.items() if key.target in ("node", "all")}
    edge_keys = {name: key for name, key in reading.keys.items() if key.target in ("edge", "all")}
    return PlainGraph(
        source="graphml",
        bus_ids=list(reading.nodes),
        bus_attributes=[
            _type_values(f"node {node[:40]!r}", values, node_keys, reading.faults)
            for node, values in reading.nodes.items()
        ],
        ends=[ends for ends, _ in reading.edges],
        branch_attributes=[
            _type_values(f"edge {position + 1}", values, edge_keys, reading.faults)
            for position, (_, values) in enumerate(reading.edges)
        ],
        notes=_list_notes(reading),
        faults=reading.faults,
    )


def _list_notes(reading: _Reading) -> list[str]:
    notes = ["The directions of the edges are ignored."] if reading.directed else []
    if reading.undeclared:
        keys = join_first([shorten(key) for key in reading.undeclared], _MOST_SHOWN)
        count = reading.undeclared.total()
        notes.append(f"{count:,} data element(s) have a key that no <key> declares: {keys}.")
    return notes


def _type_values(
    where: str, values: dict[str, str], keys: dict[str, _Key], faults: list[Fault]
) -> dict[str, Scalar]:
    typed: dict[str, Scalar] = {}
    for key_id, key in keys.items():
        text = values.get(key_id, key.default)
        if text is None:
            continue
        try:
            typed[key.name] = float(text) if key.kind in _NUMBER_TYPES else text
        except ValueError:
            faults.append(Fault(where, f"{key.name[:40]!r} is not a number"))
    return typed
