"""Whether a training fits into this machine: estimated before it starts, refused with numbers."""

import re
from dataclasses import dataclass
from pathlib import Path

import structlog

import ml
from app.errors import OutOfMemory, TimeLimitReached
from app.settings import Settings

_GB = 1e9
_SYSTEM = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")
_CERTAIN = 4
"""Estimated seconds are right within this factor; beyond it a job cannot end in time."""
_SETTING = "LEVYGRID_JOB_MEMORY_BYTES"

_log = structlog.get_logger("levygrid.train")


@dataclass(frozen=True, slots=True)
class Room:
    """How many bytes a training may use, and who says so."""

    size: int
    source: str

    @property
    def remedy(self) -> str:
        """What to change so that the training fits."""
        if self.source == _SETTING:
            return f"{OutOfMemory.advice}, or raise {_SETTING}."
        return f"{OutOfMemory.advice}, or a worker with more memory."


def check_capacity(
    graph: ml.Graph, config: ml.NetworkSettings, settings: Settings, known: int = 0
) -> None:
    """Refuse a training from ``known`` labels that would not fit.

    Raises: OutOfMemory, TimeLimitReached.
    """
    columns = graph.features.shape[1]
    expected = ml.estimate(graph.adjacency, config, columns, graph.class_count, known)
    _log.info(
        "estimated",
        operator=expected.reason,
        memory_gb=round(expected.memory_bytes / _GB, 3),
        setup_seconds=round(expected.setup_seconds, 2),
        epoch_seconds=round(expected.epoch_seconds, 4),
    )
    judge(expected, _find_room(settings), settings.job_seconds)


def judge(expected: ml.Estimate, room: Room | None, seconds: float) -> None:
    """Compare an estimate with the memory there is and the seconds allowed, 0 for any."""
    if room is not None and expected.memory_bytes > room.size:
        raise OutOfMemory(
            f"The training was not started: it needs about {expected.memory_bytes / _GB:.2f} GB, "
            f"and this worker has {room.size / _GB:.2f} GB for it ({room.source}). {room.remedy}"
        )
    first = expected.setup_seconds + expected.epoch_seconds
    if seconds and first > _CERTAIN * seconds:
        raise TimeLimitReached(
            f"The training was not started: its first epoch ends after about {first:.0f} seconds, "
            f"and a job may take {seconds:g}."
        )


def _find_room(settings: Settings) -> Room | None:
    """Return what a training may use: the smallest of all limits that are known."""
    limits = {
        _SETTING: settings.job_memory_bytes or None,
        "free memory of the machine": read_free_memory(_SYSTEM),
        "free memory of the container": read_group_room(_GROUP),
    }
    rooms = [Room(limit, source) for source, limit in limits.items() if limit is not None]
    return min(rooms, key=lambda room: room.size, default=None)


def read_free_memory(path: Path) -> int | None:
    """Return what the machine could give to a process, None where it does not say."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", _read(path), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024


def read_group_room(folder: Path) -> int | None:
    """Return what the container may still use, None outside of one or without a limit.

    Cached files count as used there, but give way.
    """
    limit, used = _read(folder / "memory.max").strip(), _read(folder / "memory.current").strip()
    if not (limit.isdecimal() and used.isdecimal()):
        return None
    cached = re.search(r"^inactive_file (\d+)$", _read(folder / "memory.stat"), re.MULTILINE)
    return int(limit) - int(used) + (0 if cached is None else int(cached[1]))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""
