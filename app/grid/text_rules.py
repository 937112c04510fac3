"""Rules for ids, names and class names: short, printable, no blanks at the ends."""

import re

MOST_CHARACTERS = 200
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


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


def shorten(text: str) -> str:
    """Quote a client's text for a message, cut to 40 characters."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
