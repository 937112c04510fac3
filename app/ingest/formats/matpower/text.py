"""Parser of MATPOWER case files in text form (``.m``): one pass, nothing is executed."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from app.errors import GridRejected
from app.grid.report import SourceNotes
from app.ingest.formats.matpower.scan import MatpowerText, scan_matpower
from app.ingest.formats.matpower.statements import apply_statements
from app.ingest.formats.matpower.tables import MatpowerCase
from ml.arrays import FloatArray
from ml.errors import Fault

_REQUIRED = ("version", "baseMVA", "bus", "branch", "gen")
_READ = (*_REQUIRED, "bus_name")
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")
_WORDS = {"Inf": np.inf, "inf": np.inf, "-Inf": -np.inf, "-inf": -np.inf}


def parse_text(content: bytes) -> MatpowerCase:
    """Read the matrices of a case and apply the unit conversions that follow them.

    Raises: GridRejected for a missing or repeated part, a part that is not numbers, or an
        unsupported statement.
    """
    scanned = scan_matpower(content.decode("utf-8", "replace"))
    _check_parts(scanned)
    faults: list[Fault] = []
    bus, branch, gen = (
        _parse_matrix(f"mpc.{name}", scanned.literals[name], faults)
        for name in ("bus", "branch", "gen")
    )
    base_mva = _parse_scalar(scanned.literals["baseMVA"], faults)
    names = _parse_names(scanned, faults)
    if faults:
        raise GridRejected("The case has entries that are not numbers.", faults)
    applied = apply_statements(scanned.statements, base_mva, bus, branch)
    ignored = sorted(set(scanned.literals) - set(_READ))
    return MatpowerCase(
        name=scanned.name[:200],
        base_mva=base_mva,
        bus=bus,
        branch=branch,
        gen=gen,
        bus_names=names,
        notes=SourceNotes(statements_applied=applied, parts_not_read=ignored),
    )


def _check_parts(scanned: MatpowerText) -> None:
    if scanned.name == "[]":
        raise GridRejected("Version 1 case files are not supported; save the case as version 2.")
    missing = [name for name in _REQUIRED if name not in scanned.literals]
    if missing:
        faults = [Fault(f"mpc.{name}", "is missing") for name in missing]
        raise GridRejected("The file is not a complete MATPOWER case.", faults)
    if scanned.literals["version"][0].strip("'\" ") != "2":
        raise GridRejected("Only version 2 of the MATPOWER case format is supported.")


def _parse_matrix(where: str, pieces: Sequence[str], faults: list[Fault]) -> FloatArray:
    values: list[float] = []
    width = rows = 0
    for piece in pieces:
        for row in piece.replace(",", " ").split(";"):
            tokens = row.split()
            if not tokens:
                continue
            rows += 1
            width = width or len(tokens)
            if len(tokens) != width:
                problem = f"row {rows} has {len(tokens)} entries, the first has {width}"
                faults.append(Fault(where, problem))
            values.extend(_parse_row(f"{where} row {rows}", tokens, faults))
    if len(values) != rows * width:
        return np.zeros((0, 0))
    return np.array(values, dtype=np.float64).reshape(rows, width)


def _parse_row(where: str, tokens: Sequence[str], faults: list[Fault]) -> Iterable[float]:
    joined = "".join(tokens)
    if _NUMBER_CHARACTERS.issuperset(joined):
        try:
            return list(map(float, tokens))
        except ValueError:
            pass
    numbers = [_parse_number(token) for token in tokens]
    valid = [number for number in numbers if number is not None]
    if len(valid) < len(tokens):
        odd = tokens[numbers.index(None)]
        faults.append(Fault(where, f"{odd[:30]!r} is not a number"))
    return valid


def _parse_number(token: str) -> float | None:
    """Read a number, or a quotient such as ``12/sqrt(3)``; None for anything else."""
    numerator, slash, denominator = token.partition("/")
    top = _parse_plain(numerator)
    if not slash or top is None:
        return top
    bottom = math.sqrt(3) if denominator == "sqrt(3)" else _parse_plain(denominator)
    return top / bottom if bottom else None


def _parse_plain(token: str) -> float | None:
    if not _NUMBER_CHARACTERS.issuperset(token):
        return _WORDS.get(token)
    try:
        return float(token)
    except ValueError:
        return None


def _parse_scalar(pieces: Sequence[str], faults: list[Fault]) -> float:
    number = _parse_number(pieces[0]) if len(pieces) == 1 else None
    if number is None:
        faults.append(Fault("mpc.baseMVA", "is not a number"))
    return number or 1.0


def _parse_names(scanned: MatpowerText, faults: list[Fault]) -> tuple[str, ...]:
    names: list[str] = []
    for piece in scanned.literals.get("bus_name", ()):
        text = piece.strip(" \t;,")
        if not text:
            continue
        if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
            faults.append(Fault("mpc.bus_name", f"entry {len(names) + 1} is not one quoted name"))
            return ()
        names.append(text[1:-1].replace(text[0] * 2, text[0]).strip())
    return tuple(names)
