import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import GraphNotFound, StoredDataDamaged, TrainingRejected
from app.graphs.service import get_label_set, load_grid, to_ml_graph
from app.grid.grid import Grid
from app.grid.packing import unpack_grid
from app.storage.db import Database
from tests.app.samples import post_graph, ring


@pytest.fixture
def database(api: TestClient) -> Database:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return database


def load(database: Database, graph_id: str) -> Grid:
    with database.reading() as session:
        return load_grid(session, graph_id)


def test_a_grid_is_unpacked_once_and_then_remembered(api: TestClient, database: Database) -> None:
    graph_id = post_graph(api)
    assert load(database, graph_id) is load(database, graph_id)


def test_a_remembered_grid_is_not_found_after_its_deletion(
    api: TestClient, database: Database
) -> None:
    graph_id = post_graph(api)
    load(database, graph_id)
    api.delete(f"/graphs/{graph_id}")
    with pytest.raises(GraphNotFound):
        load(database, graph_id)


def test_buses_and_branches_become_nodes_and_edges(api: TestClient, database: Database) -> None:
    body = ring()
    body["branches"].append({"from": "2", "to": "1", "weight": 2.5})
    graph_id = post_graph(api, body)
    with database.reading() as session:
        label_set = get_label_set(session, graph_id, "label")
    graph = to_ml_graph(load(database, graph_id), label_set)
    assert graph.node_count == 6
    assert graph.adjacency[0, 1] == 3.5
    assert graph.feature_names == ("Pd",)
    assert graph.features[:, 0].tolist() == [1, 2, 3, 4, 5, 6]
    assert graph.class_names == ("generator", "load", "neither")
    assert graph.labels.tolist() == [1, 0, 2, 1, 0, -1]


def test_features_can_be_chosen_and_ordered(api: TestClient, database: Database) -> None:
    body = ring(3)
    for number, bus in enumerate(body["buses"]):
        bus["features"] = {"a": number, "b": 10 * number, "c": 0}
    graph = to_ml_graph(load(database, post_graph(api, body)), feature_names=["b", "a"])
    assert graph.feature_names == ("b", "a")
    assert np.array_equal(graph.features, [[0, 0], [10, 1], [20, 2]])


def test_every_missing_feature_is_named(api: TestClient, database: Database) -> None:
    with pytest.raises(TrainingRejected) as caught:
        to_ml_graph(load(database, post_graph(api)), feature_names=["Pd", "x", "y"])
    assert [fault.problem for fault in caught.value.faults] == [
        "the grid has no column 'x'",
        "the grid has no column 'y'",
    ]


@pytest.mark.parametrize("blob", [b"", b"\x90", b"nonsense", b"\xff" * 100])
def test_a_damaged_grid_raises_stored_data_damaged(blob: bytes) -> None:
    with pytest.raises(StoredDataDamaged):
        unpack_grid(blob)
