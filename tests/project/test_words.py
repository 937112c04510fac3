"""User-facing strings are plain English: no dialect of this code base (STYLE: "Language")."""

import re
from collections.abc import Iterable

import pytest

from tests.project.user_texts import Text, collect_texts, find_python_texts, find_script_texts

DIALECT = {
    r"(?<!there )\bis no\b": "is not a ...",
    r"\b(is|and|are) none of\b": "is not one of",
    r"\bthat may be\b": "say what is allowed",
    r"\b(so|as) many (jobs|files|of|at)\b|\bfor so long\b|\bso many\b": "give the number",
    r"\b(told|heard)\b": "reported, returned, received",
    r"\b(is|are|was|were) said\b|\bsays? (so|what|which|otherwise)\b": "specify, give",
    r"\bof (its|their|your|one's) own\b": "its own ..., separate",
    r"\bowes?\b": "must",
    r"\bmeans? nothing\b": "invalid, unknown",
    r"\b(whatever|whoever)\b": "any, every",
    r"\bonce that\b": "one ...",
    r"\ball there may be\b|\bthan it may\b": "name the limit",
    r"\bput down to\b": "attributed to",
    r"\ba \w+ too many\b": "unexpected second ...",
    r"\b(seconds|minutes|hours|bytes) an? \w": "per",
    r"\b(one \w+|once) an? \w+|\ba job a\b": "per",
    r"\bwant of\b|\bwants (more|workers|room)\b": "lack of, needs",
    r"\b(is|are) not what\b|\bwhat (waits|came of it|it is worth)\b": "name the thing",
    r"\bof another (run|kind)\b": "belongs to another ..., has another type",
    r"\blearnt from\b": "trained on",
    r"\bbreaks? rules?\b": "is invalid",
    r"\basked for\b": "requested",
    r"\bthe very\b|\bmade again\b": "the same, replayed",
}
"""Pattern -> what to write instead."""


def list_offences(texts: Iterable[Text]) -> list[str]:
    """Return place, phrase and replacement of every phrase of the dialect."""
    return [
        f"{one.file}:{one.line}: {found.group()!r} in {' '.join(one.text.split())[:120]!r}; "
        f"better: {better}"
        for one in texts
        for pattern, better in DIALECT.items()
        for found in re.finditer(pattern, one.text, re.IGNORECASE)
    ]


def test_user_facing_strings_are_plain_english() -> None:
    texts = list(collect_texts())
    assert len(texts) > 500  # the collector still sees the code base
    assert list_offences(texts) == []


SAMPLE = '''
"""The module docstring is not told to users."""
class JobOut(BaseModel):
    """What came of it."""
    seconds: float = Field(description="Seconds an epoch.")

@router.get("/jobs", summary="Jobs, whatever they do")
def list_jobs() -> None:
    """List so many jobs."""
    raise GridRejected(f"{name!r} is no grid.", [Fault("x", "was said " + "twice")])

def helper() -> None:
    """Not published: is told nothing."""
'''


@pytest.mark.parametrize(
    "phrase",
    ["What came of it", "Seconds an e", "whatever", "so many jobs", "is no", "was said"],
)
def test_a_phrase_of_the_dialect_is_found_wherever_users_read_it(phrase: str) -> None:
    found = find_python_texts(SAMPLE, frozenset({"GridRejected"}))
    offences = list_offences(Text("sample.py", line, text) for line, text in found)
    assert any(f": {phrase!r} in" in offence for offence in offences), offences


def test_strings_that_users_do_not_read_are_not_checked() -> None:
    texts = " ".join(text for _, text in find_python_texts(SAMPLE, frozenset({"GridRejected"})))
    assert "module docstring" not in texts
    assert "Not published" not in texts


def test_texts_of_scripts_are_found_with_their_lines() -> None:
    script = 'const name = "id";\nshow("The file is no grid.");\nshow(`${count} are told`);'
    assert list(find_script_texts(script)) == [
        (2, "The file is no grid."),
        (3, "${count} are told"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "There is no job with the id 'x'.",
        "Seconds between two polls.",
        "Provide either `kind` or `labels`.",
        "Maximum number of buses per grid.",
    ],
)
def test_plain_sentences_pass(text: str) -> None:
    assert list_offences([Text("sample.py", 1, text)]) == []
