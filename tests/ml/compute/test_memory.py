import subprocess
import sys

SCRIPT = "from ml.compute.memory import read_peak_bytes; print(read_peak_bytes())"


def test_a_child_does_not_inherit_the_peak_of_its_parent() -> None:
    ballast = bytearray(b"x" * 2**28)
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert 2**22 < int(answer.stdout) < 2**27 < len(ballast)
