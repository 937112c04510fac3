"""The commands of ``python -m experiments``."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from experiments import reproduce
from experiments.__main__ import commands
from experiments.datasets.dataset import FOLDER_VARIABLE
from experiments.paths import NOTES, RESULTS

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_an_unknown_name_is_refused_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "run_jobs", lambda *_: pytest.fail("something ran"))
    result = run("reproduce", "nothing")
    assert result.exit_code == 2
    assert "nothing is neither a table nor a data set" in " ".join(result.output.split())
    assert "ieee118" in result.output


def test_an_error_during_a_run_keeps_its_cause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_arguments: object) -> list[str]:
        raise KeyError("a defect of the run")

    monkeypatch.setattr(reproduce, "run_jobs", fail)
    folders = ("--results", str(tmp_path), "--docs", str(tmp_path))
    result = run("reproduce", "ieee118", *folders)
    assert isinstance(result.exception, KeyError)
    assert result.exception.args == ("a defect of the run",)
    assert "neither a table nor a data set" not in result.output


def test_without_a_data_folder_the_skipped_data_sets_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    result = run("reproduce", "ieee118", "--results", str(tmp_path), "--docs", str(tmp_path))
    assert result.exit_code == 0
    assert "ieee118 is skipped because no data folder is set" in result.output
    assert FOLDER_VARIABLE in result.output


def test_the_data_folder_can_be_an_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "/nowhere")
    folders = ("--data", str(tmp_path), "--results", str(tmp_path), "--docs", str(tmp_path))
    result = run("reproduce", "ieee118", *folders)
    assert f"ieee118_paper.npz is not in {tmp_path}" in result.output


def test_the_authors_split_without_a_data_folder_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    result = run("authors-split")
    assert result.exit_code == 2
    assert FOLDER_VARIABLE in result.output


def test_an_absent_docs_folder_is_refused_before_anything_runs(tmp_path: Path) -> None:
    result = run("reproduce", "ieee118", "--docs", str(tmp_path / "absent"))
    assert result.exit_code == 2
    assert "--docs" in result.output


def test_an_unknown_bench_is_refused() -> None:
    result = run("bench", "nothing")
    assert result.exit_code == 2
    assert "there is no bench nothing" in result.output


def test_results_and_notes_are_found_from_any_directory(tmp_path: Path) -> None:
    program = (
        "from experiments.report.document import write_document\n"
        "from experiments.paths import RESULTS\n"
        "from pathlib import Path\n"
        "print(len(write_document(RESULTS, Path('.')).read_text()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(result.stdout) > 40_000
    assert RESULTS.is_absolute()
    assert NOTES.is_dir()


def test_shipped_code_names_no_folder_of_a_developer() -> None:
    for path in (ROOT / "experiments").rglob("*.py"):
        assert "shared/data" not in path.read_text(encoding="utf-8"), path
