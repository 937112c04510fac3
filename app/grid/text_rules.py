"""What may be an id, a name or a class: short, printable, without stray blanks."""

import re

MOST_CHARACTERS = 200
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def find_text_problem(text: str, most: int = MOST_CHARACTERS) -> str | None:
    """Say what is wrong with a text, or None."""
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
    """Quote a client's text, cut to what a message can bear."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
