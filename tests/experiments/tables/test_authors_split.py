import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.__main__ import commands
from experiments.json_lines import read_lines
from experiments.paths import RESULTS
from experiments.tables.authors_split import AIMS, Study, choose_settings, measure_dataset
from ml.graph.split import Split
from tests.ml.small_grids import ring_with_chords, split_of


def write_grid(folder: Path, split: Split, labels: np.ndarray) -> None:
    """A file of the authors' form with thirty buses."""
    graph = ring_with_chords()
    np.savez(
        folder / "ieee118_paper.npz",
        edges=graph.edges,
        edge_weight=graph.weights,
        directed=np.array(True),
        features=graph.features,
        feature_names=np.array(graph.feature_names),
        labels=labels,
        class_names=np.array(graph.class_names),
        train=split.train,
        val=split.validation,
        test=split.test,
    )


def silent(_line: str) -> None:
    pass


@pytest.fixture
def study(tmp_path: Path) -> Study:
    graph = ring_with_chords()
    write_grid(tmp_path, split_of(graph), graph.labels)
    return Study(data=tmp_path, results=tmp_path / "results", trials=2, epochs=5)


def test_every_method_has_a_row_with_mean_and_deviation(study: Study) -> None:
    rows = measure_dataset(study, "ieee118", range(2), silent)
    assert [row["method"] for row in rows] == ["Majority class", "Random forest", "MLP", "LFGCN"]
    for row in rows:
        assert 0 <= row["mean"] <= 1
        assert row["std"] >= 0
        assert row["seeds"] == [0, 1]
    assert len(read_lines(study.rows_path)) == len(rows)


def test_settings_are_searched_once(study: Study) -> None:
    lines: list[str] = []
    first = choose_settings(study, "ieee118", "lfgcn", lines.append)
    assert len(lines) == 2
    assert choose_settings(study, "ieee118", "lfgcn", lines.append) == first
    assert len(lines) == 2


def test_the_choice_is_the_best_trial_on_validation(study: Study) -> None:
    settings = choose_settings(study, "ieee118", "lfgcn", silent)
    (line,) = read_lines(study.tuned_path)
    best = max(trial["validation_accuracy"] for trial in line["trials"])
    assert line["validation_accuracy"] == best
    assert settings["alpha"] in [trial["alpha"] for trial in line["trials"]]


def test_test_labels_do_not_change_the_choice(study: Study, tmp_path: Path) -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    scrambled = graph.labels.copy()
    scrambled[split.test] = (scrambled[split.test] + 1) % 3
    other = tmp_path / "scrambled"
    other.mkdir()
    write_grid(other, split, scrambled)
    same = Study(data=other, results=other / "results", trials=2, epochs=5)
    assert choose_settings(study, "ieee118", "lfgcn", silent) == choose_settings(
        same, "ieee118", "lfgcn", silent
    )


@pytest.mark.paper
def test_lfgcn_reaches_its_aims_on_the_authors_split(tmp_path: Path) -> None:
    folder = os.environ.get("LEVYGRID_DATASETS_DIR")
    if folder is None:
        pytest.skip("LEVYGRID_DATASETS_DIR is not set")
    written = tmp_path / "rows.json"
    results = shutil.copytree(RESULTS, tmp_path / "results")
    arguments = [
        "authors-split",
        "--data",
        folder,
        "--results",
        str(results),
        "--json",
        str(written),
    ]
    finished = CliRunner().invoke(commands, arguments, catch_exceptions=False)
    assert finished.exit_code == 0
    means = {
        row["dataset"]: row["mean"]
        for row in json.loads(written.read_text())["rows"]
        if row["method"] == "LFGCN"
    }
    assert means["ieee118"] >= AIMS["ieee118"]
    assert means["sc500"] >= AIMS["sc500"]
