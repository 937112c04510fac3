import subprocess
import sys

import pytest

MAKE_AND_FREE = """
import resource, sys
import numpy as np
from ml.compute.allocator import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
np.ones(2**24)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
np.ones(2**24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
PAGES = 2**24 * 8 // 2**12


def count_faults(choice: str) -> int:
    answer = subprocess.run(
        [sys.executable, "-c", MAKE_AND_FREE, choice], capture_output=True, text=True, check=True
    )
    return int(answer.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="speaks of glibc")
def test_a_second_array_finds_the_pages_of_the_first() -> None:
    assert count_faults("keep") < PAGES / 100
