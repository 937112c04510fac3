import subprocess
import sys

ASKED_WHILE_IT_BEGINS_AND_ENDS_WAITS = """
import os, signal, threading, time
from app.worker.signals import stop_on_signals

for round in range(20):
    stop = threading.Event()
    stop_on_signals(stop, signal.SIGTERM)
    timer = threading.Timer(0.005 + 0.001 * round, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    while not stop.is_set():
        stop.wait(0)
    timer.join()
print("stopped")
"""


def test_a_signal_stops_a_process_at_any_moment() -> None:
    """With a handler that calls ``Event.set`` this hangs in the first rounds."""
    code = [sys.executable, "-c", ASKED_WHILE_IT_BEGINS_AND_ENDS_WAITS]
    done = subprocess.run(code, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "stopped\n"


def test_a_second_signal_changes_nothing() -> None:
    code = """
import os, signal, threading
from app.worker.signals import stop_on_signals

stop = threading.Event()
stop_on_signals(stop, signal.SIGTERM, signal.SIGINT)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
    os.kill(os.getpid(), number)
assert stop.wait(60)
"""
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)
