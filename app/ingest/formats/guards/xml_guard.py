"""Guarded XML parser for untrusted files: no DTD, entities or external files; with limits."""

from collections.abc import Callable
from xml.parsers import expat

from app.errors import GridRejected
from ml.errors import Fault

_MOST_DEPTH = 50
_MOST_ATTRIBUTES = 50


class GuardedParser:
    """An expat parser that rejects the constructs of XML attacks."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self._depth = 0
        self._start: Callable[[str, dict[str, str]], None] = _ignore_start
        self._end: Callable[[str], None] = _ignore_end
        parser.buffer_text = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.EntityDeclHandler = _refuse_doctype
        parser.ExternalEntityRefHandler = _refuse_external
        parser.ProcessingInstructionHandler = None

    def start(self, handler: Callable[[str, dict[str, str]], None]) -> None:
        """Set the handler for the start of an element."""
        self._start = handler

    def end(self, handler: Callable[[str], None]) -> None:
        """Set the handler for the end of an element."""
        self._end = handler

    def text(self, handler: Callable[[str], None]) -> None:
        """Set the handler for the text between elements."""
        self.parser.CharacterDataHandler = handler

    def _on_start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise GridRejected(f"The XML is nested more than {_MOST_DEPTH} deep.")
        if len(attributes) > _MOST_ATTRIBUTES:
            raise GridRejected(f"An element has more than {_MOST_ATTRIBUTES} attributes.")
        self._start(tag, attributes)

    def _on_end(self, tag: str) -> None:
        self._depth -= 1
        self._end(tag)


def guard_parser(parser: expat.XMLParserType) -> GuardedParser:
    """Wrap a parser in the guard."""
    return GuardedParser(parser)


def parse_guarded(guarded: GuardedParser, content: bytes, kind: str) -> None:
    """Parse a whole document. Raises: GridRejected."""
    try:
        guarded.parser.Parse(content, True)
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise GridRejected(
            f"The file is not well-formed {kind}.", [Fault(place, "is not well-formed")]
        ) from error
    except (ValueError, LookupError, OSError) as error:
        raise GridRejected(f"The file is not {kind} in UTF-8 or UTF-16.") from error


def _refuse_doctype(*_: object) -> None:
    raise GridRejected("XML with a document type declaration or entities is not supported.")


def _refuse_external(*_: object) -> int:
    raise GridRejected("XML that refers to other files is not supported.")


def _ignore_start(_tag: str, _attributes: dict[str, str]) -> None:
    return None


def _ignore_end(_tag: str) -> None:
    return None
