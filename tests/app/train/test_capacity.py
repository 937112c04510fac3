from pathlib import Path

import pytest

import ml
from app.errors import OutOfMemory, TimeLimitReached
from app.settings import Settings
from app.train.capacity import Room, check_capacity, judge, read_free_memory, read_group_room
from ml import Estimate
from tests.ml.small_grids import ring_with_chords

EXPECTED = Estimate("sparse", "large", 2_500_000_000, setup_seconds=30.0, epoch_seconds=10.0)


def test_a_training_that_does_not_fit_is_refused_with_both_numbers() -> None:
    with pytest.raises(OutOfMemory, match=r"about 2\.50 GB, and this worker has 2\.00 GB"):
        judge(EXPECTED, Room(2_000_000_000, "free memory of the machine"), seconds=0)


def test_a_training_whose_first_epoch_comes_too_late_is_refused_with_both_numbers() -> None:
    with pytest.raises(TimeLimitReached, match=r"about 40 seconds, and a job may take 9\."):
        judge(EXPECTED, room=None, seconds=9)


@pytest.mark.parametrize(
    ("room", "seconds", "refusal"),
    [
        (2_500_000_000, 0, None),
        (2_499_999_999, 0, OutOfMemory),
        (None, 10, None),
        (None, 9.99, TimeLimitReached),
        (2_499_999_999, 9.99, OutOfMemory),
        (None, 0, None),
    ],
)
def test_a_training_is_refused_just_below_what_it_needs_and_not_before(
    room: int | None, seconds: float, refusal: type[Exception] | None
) -> None:
    given = None if room is None else Room(room, "a test")
    assert find_refusal(given, seconds) is refusal


def find_refusal(room: Room | None, seconds: float) -> type[Exception] | None:
    try:
        judge(EXPECTED, room, seconds)
    except (OutOfMemory, TimeLimitReached) as error:
        return type(error)
    return None


def test_the_free_memory_of_the_machine_is_read(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:  8000 kB\nMemAvailable:    5000 kB\n")
    assert read_free_memory(file) == 5000 * 1024
    assert read_free_memory(tmp_path / "absent") is None


def test_the_room_of_a_container_counts_cached_files_as_free(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 200\n")
    assert read_group_room(tmp_path) == 500


@pytest.mark.parametrize("limit", ["max\n", ""])
def test_a_container_without_a_limit_sets_none(tmp_path: Path, limit: str) -> None:
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("700\n")
    assert read_group_room(tmp_path) is None


def test_the_limit_of_a_worker_is_held_against_the_graph_and_its_network() -> None:
    graph, wide = ring_with_chords(), ml.make_config(width=1024)
    check_capacity(graph, wide, Settings(job_memory_bytes=2**31))
    with pytest.raises(OutOfMemory, match="was not started") as refusal:
        check_capacity(graph, wide, Settings(job_memory_bytes=2**28))
    assert "a smaller width or fewer parallel paths" in str(refusal.value)
    assert "raise LEVYGRID_JOB_MEMORY_BYTES" in str(refusal.value)


def test_every_method_is_estimated_before_it_starts() -> None:
    for method in ml.NETWORKS:
        config = ml.make_config(method=method.key)
        check_capacity(ring_with_chords(), config, Settings(job_memory_bytes=2**31))
        with pytest.raises(OutOfMemory):
            check_capacity(ring_with_chords(), config, Settings(job_memory_bytes=1))
