"""Starts the child processes of ``levygrid serve``, restarts crashed ones, stops them."""

import subprocess
import threading
import time
from dataclasses import dataclass, field

import structlog

from app.settings import Settings
from app.worker.process import child_command, child_environment

_LOOK_SECONDS = 0.2
_LONGEST_WAIT = 30.0
_LIVED_LONG = 60.0
_GRACE_SECONDS = 5.0
_log = structlog.get_logger("levygrid.worker")


@dataclass
class _Place:
    """One child process and its back-off before the next start."""

    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    wait: float = 0.5
    next_start: float = field(default_factory=time.monotonic)


class Supervisor(threading.Thread):
    """Keeps ``count`` processes of one module running until ``stop`` is called.

    ``descriptor`` is an open file that the processes inherit; they get it as an argument. A
    separate thread starts the processes and outlives them, because the kernel kills a child
    (PR_SET_PDEATHSIG) when the thread that started it ends.
    """

    def __init__(
        self,
        settings: Settings,
        count: int,
        module: str = "app.worker.local",
        descriptor: int | None = None,
    ) -> None:
        super().__init__(name="supervisor", daemon=True)
        self._settings = settings
        self._places = [_Place() for _ in range(count)]
        self._inherited = () if descriptor is None else (descriptor,)
        self._module = module
        self._what = "api process" if module == "app.server" else "worker"
        self._stopping = threading.Event()

    def run(self) -> None:
        """Restart processes that have ended; stop all of them at the end."""
        while not self._stopping.wait(_LOOK_SECONDS):
            for place in self._places:
                self._restart_if_ended(place)
        self._stop_all()

    def stop(self) -> None:
        """Stop every process and wait until they are gone."""
        self._stopping.set()
        if self.is_alive():
            self.join()

    def _restart_if_ended(self, place: _Place) -> None:
        now = time.monotonic()
        if place.process is not None and place.process.poll() is not None:
            lived = now - place.started
            place.wait = 0.5 if lived > _LIVED_LONG else min(2 * place.wait, _LONGEST_WAIT)
            place.next_start = now + place.wait
            code = place.process.returncode
            _log.error(f"{self._what} ended", code=code, restart_in_seconds=place.wait)
            place.process = None
        if place.process is None and now >= place.next_start:
            self._start(place, now)

    def _start(self, place: _Place, now: float) -> None:
        try:
            place.process, place.started = self._start_process(), now
        except OSError as error:  # out of processes or memory: retried later
            place.wait = min(2 * place.wait, _LONGEST_WAIT)
            place.next_start = now + place.wait
            _log.error(
                f"{self._what} not started", reason=str(error), restart_in_seconds=place.wait
            )

    def _start_process(self) -> subprocess.Popen[bytes]:
        # A separate session: Ctrl-C in the terminal reaches only us, and we stop the child.
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            child_command(self._module, *map(str, self._inherited)),
            pass_fds=self._inherited,
            env=child_environment(self._settings, threads=1),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _stop_all(self) -> None:
        processes = [place.process for place in self._places if place.process is not None]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + self._settings.stop_seconds + _GRACE_SECONDS
        for process in processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                _log.error(f"{self._what} did not stop in time and was killed", process=process.pid)
                process.kill()
                process.wait()
