"""Words and numbers of OpenDSS statements."""

import math
import re
from collections.abc import Callable, Iterator

_WORD = re.compile(
    r"""[\s,=]*(?:
        (?P<comment>!|//)
        |(?P<quoted>"[^"]*"?|'[^']*'?|\([^)]*\)?|\[[^\]]*\]?|\{[^}]*\}?)
        |(?P<bare>(?:[^\s,=!/]|/(?!/))+)
    )\s*(?P<equals>=?)""",
    re.VERBOSE,
)
_QUOTES = {'"': '"', "'": "'", "(": ")", "[": "]", "{": "}"}
_MOST_STACK = 10
_LARGEST = 1e12
_SMALLEST = 1e-30
"""Magnitudes of numbers in any unit of the format; they keep later arithmetic finite."""

_UNARY: dict[str, Callable[[float], float]] = {
    "sqr": lambda x: x * x,
    "sqrt": math.sqrt,
    "inv": lambda x: 1 / x,
    "ln": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "sin": lambda x: math.sin(math.radians(x)),
    "cos": lambda x: math.cos(math.radians(x)),
    "tan": lambda x: math.tan(math.radians(x)),
    "asin": lambda x: math.degrees(math.asin(x)),
    "acos": lambda x: math.degrees(math.acos(x)),
    "atan": lambda x: math.degrees(math.atan(x)),
}
_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": lambda y, x: y + x,
    "-": lambda y, x: y - x,
    "*": lambda y, x: y * x,
    "/": lambda y, x: y / x,
    "^": math.pow,
    "atan2": lambda y, x: math.degrees(math.atan2(y, x)),
}


def split_statement(line: str) -> Iterator[tuple[str, str]]:
    """Return the parameters of a statement as pairs of name and value.

    The name is "" for a positional parameter, else in lower case. A quoted or bracketed value
    keeps its quotes. Separators are blanks and commas; ``!`` and ``//`` start a comment.
    """
    name = ""
    for word in _WORD.finditer(line):
        if word["comment"]:
            return
        text = word["quoted"] or word["bare"]
        if word["equals"] and not name:
            name = strip_quotes(text).lower()
            continue
        yield name, text
        name = ""


def strip_quotes(text: str) -> str:
    """Return a value without its quotes or brackets."""
    if text[:1] not in _QUOTES:
        return text
    return text[1:].removesuffix(_QUOTES[text[0]]).strip()


def split_list(text: str) -> list[str]:
    """Return the elements of an array; row separators are dropped."""
    inside = strip_quotes(text).replace("|", " ")
    return [value for _, value in split_statement(inside)]


def read_rows(text: str) -> list[list[float]]:
    """Return the rows of a matrix, full or lower triangle. Raises: ValueError."""
    rows = (split_list(row) for row in strip_quotes(text).split("|"))
    return [[read_number(value) for value in row] for row in rows]


def read_number(text: str) -> float:
    """Read a number, or a bracketed expression in reverse Polish notation. Raises: ValueError."""
    if text[:1] in _QUOTES:
        number = _calculate(strip_quotes(text).lower().replace(",", " ").split())
    else:
        number = float(text)
    if not abs(number) <= _LARGEST:
        raise ValueError("out of range")
    return number if abs(number) > _SMALLEST else 0.0


def _calculate(words: list[str]) -> float:
    stack: list[float] = []
    try:
        for word in words:
            if word in _UNARY:
                stack.append(_UNARY[word](stack.pop()))
            elif word in _BINARY:
                x, y = stack.pop(), stack.pop()
                stack.append(_BINARY[word](y, x))
            else:
                stack.append(math.pi if word == "pi" else float(word))
            if len(stack) > _MOST_STACK:
                break
    except (ArithmeticError, IndexError) as error:
        raise ValueError("not an expression") from error
    if len(stack) != 1:
        raise ValueError("not an expression")
    return stack[0]


def is_yes(text: str) -> bool:
    """Read a yes or no: OpenDSS looks at the first letter only."""
    return strip_quotes(text)[:1].lower() in ("y", "t")
