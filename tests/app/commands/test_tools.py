import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import experiments.bench
from app.commands.bench import list_benches, run_bench
from app.commands.settings_table import settings_table, training_table
from app.errors import LevygridError
from app.settings import Settings


def levygrid(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments], capture_output=True, text=True, check=False
    )


def test_the_table_of_settings_names_every_variable() -> None:
    table = settings_table()
    for name, field in Settings.model_fields.items():
        assert f"`LEVYGRID_{name.upper()}`" in table
        assert str(field.description) in table


def test_the_page_of_settings_is_current() -> None:
    page = Path(__file__).parents[3] / "docs" / "settings.md"
    assert settings_table() in page.read_text(), "run `levygrid settings` and paste it there"


def test_the_page_of_training_settings_is_current() -> None:
    page = Path(__file__).parents[3] / "docs" / "training.md"
    advice = "run `levygrid settings --training` and paste it there"
    assert training_table() in page.read_text(), advice


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_the_version_is_printed() -> None:
    assert levygrid("--version").stdout.startswith("levygrid 0.")


def test_migrate_makes_a_database_that_a_worker_accepts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEVYGRID_DATA_DIR", str(tmp_path / "data"))
    refused = levygrid("worker")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    done = levygrid("migrate")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data" / "levygrid.db").exists()


def test_the_benchmarks_are_the_modules_of_the_packages() -> None:
    assert "epoch" in list_benches()
    assert list_benches()["ingest"] == "app.bench.ingest"
    for module in list_benches().values():
        assert find_spec(module) is not None


def test_an_unknown_benchmark_is_reported_in_one_line() -> None:
    done = levygrid("bench", "../secrets")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "epoch" in done.stderr


def test_figures_are_printed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "two_rows.py").write_text(
        "def run():\n    return {'rows': [{'buses': 118, 'ms': 1.5}], 'unit': 'ms'}\n"
    )
    monkeypatch.setattr(experiments.bench, "__path__", [str(folder)])
    run_bench("two-rows", tmp_path / "figures.json")
    assert json.loads((tmp_path / "figures.json").read_text())["rows"][0]["ms"] == 1.5
    assert "118" in capsys.readouterr().out


def test_a_quick_form_is_requested_only_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "short.py").write_text(
        "def run(*, quick=False):\n    return {'rows': [], 'q': quick}\n"
    )
    (folder / "only_long.py").write_text("def run():\n    return {'rows': []}\n")
    monkeypatch.setattr(experiments.bench, "__path__", [str(folder)])
    for quick in (True, False):
        run_bench("short", tmp_path / "figures.json", quick=quick)
        assert json.loads((tmp_path / "figures.json").read_text())["q"] is quick
    with pytest.raises(LevygridError, match="no quick form"):
        run_bench("only-long", None, quick=True)


def test_a_benchmark_is_refused_if_its_output_folder_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(LevygridError, match=r"output folder .* does not exist"):
        run_bench("epoch", tmp_path / "absent" / "figures.json")


@pytest.mark.long
def test_the_demo_goes_from_a_grid_to_predictions() -> None:
    done = levygrid("demo")
    assert done.returncode == 0, done.stderr
    assert "2,000 buses" in done.stdout
    assert "Expected accuracy on buses without a label" in done.stdout
    found = re.search(r"buses whose zone was not given: ([\d.]+)%", done.stdout)
    assert found is not None
    assert float(found.group(1)) > 75
    assert "Traceback" not in done.stderr


def test_a_demo_without_a_service_fails_with_one_line() -> None:
    done = levygrid("demo", "--url", "http://127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_reproduce_takes_the_options_of_the_library() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "app.cli", "reproduce", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "--seeds" in shown
    assert "--json" in shown
