"""Files of results that several processes update, and that a killed process must not damage."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import json_lines
from experiments.json_lines import Line, find_line, read_lines, replace_text, update_line

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from experiments.json_lines import update_line

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for _ in range(count):
    for key in ({"name": name}, {"name": "shared"}):
        update_line(path, key, lambda old: {**key, "total": (old or {}).get("total", 0) + 1})
"""


def start_writer(path: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(arguments, cwd=ROOT)


def test_an_absent_file_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "absent.jsonl") == ()
    assert find_line(tmp_path / "absent.jsonl", {"name": "a"}) is None


def test_lines_are_sorted_by_their_key(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    for name in ("b", "c", "a"):
        update_line(path, {"name": name}, lambda _old, name=name: {"name": name})  # type: ignore[misc]
    assert [line["name"] for line in read_lines(path)] == ["a", "b", "c"]
    assert len(path.read_text().splitlines()) == 3


def test_an_update_replaces_one_line_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"name": "a", "total": 1.50}\n{"name": "b", "total": 2}\n')
    update_line(path, {"name": "b"}, lambda old: {"name": "b", "total": (old or {})["total"] + 1})
    assert read_lines(path) == ({"name": "a", "total": 1.5}, {"name": "b", "total": 3})


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    replace_text(path, '{"name": "a"}\n')
    assert find_line(path, {"name": "a"}) is not None
    replace_text(path, '{"name": "b"}\n')
    assert find_line(path, {"name": "a"}) is None


def test_processes_that_update_the_same_file_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    writers = [start_writer(path, name, 40) for name in ("one", "two", "three")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    totals = {line["name"]: line["total"] for line in read_lines(path)}
    assert totals == {"one": 40, "two": 40, "three": 40, "shared": 120}


def test_a_killed_writer_leaves_a_readable_file_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    writer = start_writer(path, "killed", 1_000_000)
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    writer.kill()
    writer.wait()
    assert all(json.loads(line)["total"] > 0 for line in path.read_text().splitlines())
    update_line(path, {"name": "next"}, lambda _old: {"name": "next", "total": 1})
    assert find_line(path, {"name": "next"}) is not None


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.jsonl"
    update_line(path, {"name": "a"}, lambda _old: {"name": "a"})

    def fail(_lines: list[Line]) -> str:
        raise OSError("the disk is full")

    monkeypatch.setattr(json_lines, "_format", fail)
    with pytest.raises(OSError, match="disk"):
        update_line(path, {"name": "b"}, lambda _old: {"name": "b"})
    assert read_lines(path) == ({"name": "a"},)
