"""GraphML writer."""

from collections.abc import Iterator
from itertools import islice
from xml.sax.saxutils import escape, quoteattr

from app.export.sheet import Exported, Sheet, lay_out_branches, lay_out_buses

_PIECE = 1000
_ENDS = ("source", "target")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def write_graphml(exported: Exported) -> Iterator[bytes]:
    """Yield one undirected graph with typed attributes, in pieces."""
    lines = _write_lines(exported)
    while piece := list(islice(lines, _PIECE)):
        yield ("\n".join(piece) + "\n").encode()


def _write_lines(exported: Exported) -> Iterator[str]:
    buses, branches = lay_out_buses(exported), lay_out_branches(exported)
    ids = buses.pop("id")
    ends = [branches.pop(name) for name in _ENDS]
    yield from (_HEAD, *_declare("n", "node", buses), *_declare("e", "edge", branches))
    yield '<graph edgedefault="undirected">'
    for row, bus_id in enumerate(ids):
        yield f"<node id={quoteattr(str(bus_id))}>{_data('n', buses, row)}</node>"
    for row, (source, target) in enumerate(zip(*ends, strict=True)):
        attributes = f"source={quoteattr(str(source))} target={quoteattr(str(target))}"
        yield f"<edge {attributes}>{_data('e', branches, row)}</edge>"
    yield from ("</graph>", "</graphml>")


def _declare(prefix: str, target: str, sheet: Sheet) -> Iterator[str]:
    for position, (name, cells) in enumerate(sheet.items()):
        kind = "string" if any(isinstance(cell, str) for cell in cells) else "double"
        yield (
            f'<key id="{prefix}{position}" for="{target}" attr.name={quoteattr(name)} '
            f'attr.type="{kind}"/>'
        )


def _data(prefix: str, sheet: Sheet, row: int) -> str:
    return "".join(
        f'<data key="{prefix}{position}">{escape(str(cells[row]))}</data>'
        for position, cells in enumerate(sheet.values())
        if cells[row] is not None
    )
