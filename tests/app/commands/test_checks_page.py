"""docs/checks.md is what `levygrid checks` writes."""

from pathlib import Path

import pytest

from app.commands.checks_page import (
    PUBLIC_GRIDS,
    PublicGrid,
    check_read,
    describe_findings,
    make_page,
    read_public,
    rule_table,
    summary_row,
)

PAGE = (Path(__file__).parents[3] / "docs" / "checks.md").read_text()
ADVICE = "run `levygrid checks --output docs/checks.md`"
QUICK = [public for public in PUBLIC_GRIDS if public.title.startswith("IEEE")]


def test_the_page_has_all_rules() -> None:
    assert rule_table() in PAGE, ADVICE


def test_the_page_begins_as_the_command_writes_it() -> None:
    assert PAGE.startswith(next(make_page(None)))


def test_the_page_shows_at_least_ten_grids() -> None:
    assert len(PUBLIC_GRIDS) >= 10
    assert all(f"\n### {public.title}\n" in PAGE for public in PUBLIC_GRIDS)
    assert "not checked" not in PAGE


@pytest.mark.parametrize("public", QUICK, ids=lambda public: public.source)
def test_the_findings_of_the_page_are_current(public: PublicGrid) -> None:
    read = read_public(public)
    report = check_read(read)
    assert summary_row(public, read, report) in PAGE, ADVICE
    assert describe_findings(public, report) in PAGE, ADVICE
