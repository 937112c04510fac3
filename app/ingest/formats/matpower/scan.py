"""Scanner of MATPOWER case text: assignments to ``mpc`` and all other statements."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.errors import GridRejected
from ml.errors import Fault

_MOST_STATEMENTS = 200
_MOST_STATEMENT_CHARACTERS = 2000


@dataclass
class MatpowerText:
    """The parts of a case file as text, before any number is read.

    ``literals`` maps a field of ``mpc`` to the text between its brackets, one piece per line;
    scalars and text are one piece. ``statements`` are all other statements, in order.
    """

    name: str = ""
    literals: dict[str, list[str]] = field(default_factory=dict)
    brackets: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)


def scan_matpower(text: str) -> MatpowerText:
    """Split a case file into its parts.

    Cost: one pass over the lines; every line is scanned a fixed number of times.
    Raises: GridRejected if a field appears twice, a matrix is not closed, or there are too many
        statements.
    """
    scanned = MatpowerText()
    lines = _without_comments(text)
    for line in lines:
        _read_line(line, lines, scanned)
        if len(scanned.statements) > _MOST_STATEMENTS:
            raise GridRejected("The file has too many statements for a case.")
    return scanned


def _read_line(line: str, lines: Iterator[str], scanned: MatpowerText) -> None:
    while line.endswith("..."):
        line = line[:-3] + " " + next(lines, "")
        if len(line) > _MOST_STATEMENT_CHARACTERS:
            raise GridRejected("The file has a statement that is too long.")
    field_name, value = _split_assignment(line)
    if field_name and value[:1] in ("[", "{"):
        _claim(field_name, scanned)
        scanned.brackets[field_name] = value[0]
        rest = _read_literal(field_name, value, lines, scanned)
        scanned.statements.extend(_split_statements(rest))
    elif field_name:
        _claim(field_name, scanned)
        statement, _, rest = value.partition(";")
        scanned.literals[field_name] = [statement.strip()]
        scanned.statements.extend(_split_statements(rest))
    elif line.startswith("function"):
        scanned.name = line.partition("=")[2].strip(" ;") if "[" not in line else "[]"
    else:
        scanned.statements.extend(_split_statements(line))


def _split_assignment(line: str) -> tuple[str, str]:
    """Return field and value of ``mpc.field = value``; ("", "") for anything else."""
    target, equals, value = line.partition("=")
    head, _, name = target.strip().partition(".")
    if not equals or head != "mpc" or not name.isidentifier() or value.startswith("="):
        return "", ""
    return name, value.strip()


def _claim(name: str, scanned: MatpowerText) -> None:
    if name in scanned.literals:
        raise GridRejected(
            "The file is not a single case.", [Fault(f"mpc.{name}", "appears twice")]
        )
    scanned.literals[name] = []


def _read_literal(name: str, first: str, lines: Iterator[str], scanned: MatpowerText) -> str:
    closing = "]" if first[0] == "[" else "}"
    pieces = scanned.literals[name]
    line: str | None = first[1:]
    while line is not None:
        inside, closed, rest = _cut_at(line, closing)
        pieces.append(inside.removesuffix("..."))
        if closed:
            return rest.strip(" ;")
        line = next(lines, None)
    raise GridRejected("The file ends inside a matrix.", [Fault(f"mpc.{name}", "is not closed")])


def _cut_at(line: str, closing: str) -> tuple[str, bool, str]:
    if "'" not in line:
        inside, closed, rest = line.partition(closing)
        return inside, bool(closed), rest
    quoted = False
    for position, character in enumerate(line):
        if character == "'":
            quoted = not quoted
        elif character == closing and not quoted:
            return line[:position], True, line[position + 1 :]
    return line, False, ""


def _split_statements(line: str) -> Iterator[str]:
    """Cut at semicolons outside of brackets."""
    depth = 0
    start = 0
    for position, character in enumerate(line):
        depth += (character in "([{") - (character in ")]}")
        if character == ";" and depth <= 0:
            yield from _non_empty(line[start:position])
            start = position + 1
    yield from _non_empty(line[start:])


def _non_empty(statement: str) -> Iterator[str]:
    if statement.strip():
        yield statement.strip()


def _without_comments(text: str) -> Iterator[str]:
    in_block = 0
    for raw in text.splitlines():
        line = raw.strip()
        if line in ("%{", "#{"):
            in_block += 1
        elif in_block:
            in_block -= line in ("%}", "#}")
        elif line:
            code = _strip_comment(line)
            if code:
                yield code


def _strip_comment(line: str) -> str:
    if "%" not in line:
        return line
    if "'" not in line:
        return line.partition("%")[0].rstrip()
    quoted = False
    for position, character in enumerate(line):
        if character == "'":
            quoted = not quoted
        elif character == "%" and not quoted:
            return line[:position].rstrip()
    return line
