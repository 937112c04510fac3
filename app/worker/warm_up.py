"""Finds the device of this machine and compiles numerical code before the first job.

This runs in a separate process, because a worker that has used torch cannot safely start job
processes, and at low priority, because the API starts at the same time.
"""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import structlog

from app.settings import Settings
from app.worker.process import child_command, child_environment
from ml import die_with_parent

UNKNOWN, CPU, CUDA = "unknown", "cpu", "cuda"
_NICENESS = 10
_BUSES = 64
_log = structlog.get_logger("levygrid.worker")


def warm_up(settings: Settings, stop: threading.Event, is_idle: Callable[[str], bool]) -> str:
    """Return the device of this machine; compile as long as the worker is idle and not stopped."""
    if not settings.warm_up:
        return UNKNOWN
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        child_command("app.worker.warm_up"),
        env=child_environment(settings, threads=1),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        try:
            device = _read_device(child, stop, settings.poll_seconds)
            while child.poll() is None and not stop.is_set() and is_idle(device):
                stop.wait(settings.poll_seconds)
        finally:
            child.kill()
    _log.info("warmed up", device=device, complete=child.returncode == 0)
    return device


def _read_device(child: subprocess.Popen[str], stop: threading.Event, pause: float) -> str:
    output = child.stdout
    while output is not None and not stop.is_set():
        if select.select([output], [], [], pause)[0]:
            return output.readline().strip() or UNKNOWN
    return UNKNOWN


def main(parent: str) -> int:
    """Run as a child process of a worker: print the device, then import and compile."""
    die_with_parent(int(parent), signal.SIGKILL)
    os.nice(_NICENESS)
    import torch

    sys.stdout.write(f"{CUDA if torch.cuda.is_available() else CPU}\n")
    sys.stdout.flush()
    _compile_loops()
    import pandapower  # noqa: F401 - imported to fill the disk cache

    return 0


def _compile_loops() -> None:
    """Train on a ring for one epoch, so that numba caches the compiled loops on disk."""
    import numpy as np

    import ml

    positions = np.arange(_BUSES)
    graph = ml.Graph(
        _BUSES,
        np.stack([positions, (positions + 1) % _BUSES], axis=1),
        np.ones(_BUSES),
        features=np.sin(positions)[:, None],
        labels=positions % 2,
        class_names=("even", "odd"),
    )
    split = ml.random_split(graph.labels, 0, (0.3, 0.3, 0.4))
    ml.fit(graph, split, ml.make_config(operator="sparse", epochs=1, device="cpu"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
