import subprocess
import sys

import pytest

import ml


@pytest.mark.parametrize("name", ml.__all__)
def test_every_name_of_the_front_door_opens(name: str) -> None:
    assert getattr(ml, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="levitate"):
        _ = ml.levitate


def test_opening_the_door_loads_no_heavy_library() -> None:
    script = "import sys, ml; sys.exit(any(m in sys.modules for m in ('torch', 'scipy', 'optuna')))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
