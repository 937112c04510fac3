"""Rules for ids, names and class names: short, printable, no blanks at the ends."""

import re
import unicodedata

MOST_CHARACTERS = 200
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
_NAMELESS = ("-", "blob")
"""What ``curl -F file=@-`` and browsers send for data that are no file."""
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029"
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # these change the direction of a text
)
_BLANK = re.compile(r"[\t-\r\u0085\u2028\u2029]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def find_text_problem(text: str, most: int = MOST_CHARACTERS) -> str | None:
    """Return the problem of a text; None if it is acceptable."""
    if not text:
        return "is empty"
    if len(text) > most:
        return f"has more than {most} characters"
    if text != text.strip():
        return "begins or ends with a blank"
    if _CONTROL.search(text):
        return "contains a control character"
    return None


def find_grid_name_problem(text: str) -> str | None:
    """Return the problem of a name that a client gives a grid; None if it is acceptable."""
    problem = find_text_problem(text)
    if problem is None and clean_grid_name(text) != text:
        return "contains a slash, an invisible character, repeated blanks, or only dots"
    return problem


def clean_grid_name(text: str) -> str:
    """Replace slashes and invisible characters by blanks and bound the length.

    Returns "" for a text without anything else, and for dots, which mean folders in addresses.
    """
    shown = (" " if _is_invisible(character) else character for character in text)
    name = " ".join("".join(shown).split())[:MOST_CHARACTERS].rstrip()
    return name if name.strip(".") else ""


def name_by_file(file_name: str) -> str:
    """Return the name of a grid by the name of its file, without folders and ending."""
    last = re.split(r"[/\\]", file_name)[-1]
    stem, dot, _ = last.rpartition(".")
    name = clean_grid_name(stem if dot and stem.strip(".") else last)
    return "" if name in _NAMELESS else name


def _is_invisible(character: str) -> bool:
    return character in "/\\" or unicodedata.category(character) in _INVISIBLE


def replace_controls(text: str) -> str:
    """Replace characters that control a terminal or the direction of a text, and trim the text.

    A tab or the end of a line becomes a blank, any other one the replacement character, so that
    a reader sees that something was there. A text without such characters stays as it is.
    """
    if text.isprintable() or not _CONTROL.search(text):
        return text
    return _CONTROL.sub(_REPLACEMENT, _BLANK.sub(" ", text)).strip()


def shorten(text: str) -> str:
    """Quote a client's text for a message, cut to 40 characters."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
