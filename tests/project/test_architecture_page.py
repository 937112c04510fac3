"""docs/architecture.md names files and folders that exist, and every room."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PATHS = re.findall(r"`((?:app|ml|experiments|tests)/[\w/.]+)`", PAGE)


def test_every_file_of_the_page_exists() -> None:
    assert len(PATHS) > 50
    assert [path for path in PATHS if not (ROOT / path).exists()] == []


def test_every_room_is_on_the_page() -> None:
    rooms = [
        path.name
        for package in ("app", "ml")
        for path in (ROOT / package).iterdir()
        if path.is_dir() and path.name != "__pycache__"
    ]
    assert [room for room in rooms if f"{room}/" not in PAGE] == []


def test_there_are_five_walks() -> None:
    assert PAGE.count("\n### ") == 5
