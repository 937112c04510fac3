from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from app.grid.report import ReadGrid
from app.ingest.build.centrality import add_topology_columns, measure_betweenness
from app.ingest.formats.matpower import reader as matpower
from app.ingest.sandbox.run import run_reader
from tests.app.ingest.requests import SMALL_CASE, ask, ask_file, report_of


@pytest.fixture(scope="module")
def case118(matpower_folder: Path) -> ReadGrid:
    read = matpower.read(ask_file("matpower", matpower_folder / "case118.m"))
    return add_topology_columns(read)


@pytest.fixture(scope="module")
def oracle(case118: ReadGrid) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(case118.grid.bus_count))
    graph.add_edges_from(case118.grid.ends.tolist())
    return graph


def _column(read: ReadGrid, name: str) -> list[float]:
    column = read.grid.find_column(name)
    assert column is not None
    return list(column.tolist())


def test_clustering_and_betweenness_are_those_of_networkx(
    case118: ReadGrid, oracle: nx.Graph
) -> None:
    clustering, betweenness = nx.clustering(oracle), nx.betweenness_centrality(oracle)
    assert _column(case118, "clustering") == pytest.approx([clustering[bus] for bus in oracle])
    assert _column(case118, "betweenness") == pytest.approx([betweenness[bus] for bus in oracle])


def test_distance_is_counted_to_the_nearest_generator(case118: ReadGrid, oracle: nx.Graph) -> None:
    generators = np.flatnonzero(np.array(_column(case118, "generators_in_service")) > 0)
    nearest = nx.multi_source_dijkstra_path_length(oracle, set(generators.tolist()), weight=None)
    expected = [nearest[bus] for bus in oracle]
    assert _column(case118, "distance_to_generation") == expected


def test_pivots_give_nearly_the_same_order(case118: ReadGrid, oracle: nx.Graph) -> None:
    sampled = measure_betweenness(118, np.array(oracle.edges), np.arange(0, 118, 2))
    assert np.corrcoef(sampled, _column(case118, "betweenness"))[0, 1] > 0.95


def test_topology_columns_are_added_only_on_request() -> None:
    plain = run_reader(ask("matpower", SMALL_CASE)).grid
    asked = run_reader(ask("matpower", SMALL_CASE, columns="topology"))
    assert plain.find_column("betweenness") is None
    assert report_of(asked)["topology_columns"]["betweenness_pivots"] == 3
    assert _column(asked, "distance_to_generation") == [0, 1, 2]  # that at bus 10 is off
