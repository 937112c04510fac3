from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.ingest.exchange import Request
from app.ingest.grid import LabelSet, ReadGrid
from app.ingest.matpower_m import read
from app.labels.suitability import judge_suitability, measure_homophily
from tests.app.samples import post_graph


def _read(folder: Path, name: str) -> tuple[ReadGrid, dict[str, LabelSet]]:
    found = read(Request("matpower", {"file": (folder / f"{name}.m").read_bytes()}))
    return found, {each.name: each for each in found.label_sets}


@pytest.mark.parametrize("name", ["case_ACTIVSg500", "case_ACTIVSg2000"])
def test_role_is_given_away_by_demand_and_voltage(matpower_folder: Path, name: str) -> None:
    found, labels = _read(matpower_folder, name)
    judged = judge_suitability(found.grid, labels["role"])
    assert {"Pd", "Qd", "base_kv"} <= set(judged["gives_away"])
    assert judged["features_alone"] > 0.97
    assert "give this label away" in judged["verdict"]


def test_zones_of_activsg2000_are_carried_by_the_graph(matpower_folder: Path) -> None:
    found, labels = _read(matpower_folder, "case_ACTIVSg2000")
    judged = judge_suitability(found.grid, labels["zone"])
    # Measured apart from this code: homophily +0.86 to +0.97, propagation 79 % at 10 % labels.
    assert judged["adjusted_homophily"] == pytest.approx(0.867, abs=0.01)
    assert judged["label_propagation"] == pytest.approx(0.79, abs=0.02)
    assert judged["gives_away"] == []
    assert "graph carries" in judged["verdict"]


def test_homophily_is_one_inside_classes_and_zero_by_chance() -> None:
    ends = np.array([[0, 1], [2, 3]])
    assert measure_homophily(ends, np.array([0, 0, 1, 1])) == 1
    ring = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    assert measure_homophily(ring, np.array([0, 0, 1, 1])) == 0
    assert measure_homophily(ring, np.array([0, 1, 0, 1])) == -1
    assert measure_homophily(ring, np.array([0, 0, 0, 0])) is None


def test_classes_too_small_for_a_split_are_named(api: TestClient) -> None:
    graph_id = post_graph(api)
    answer = api.get(f"/graphs/{graph_id}/labels/label/suitability")
    assert answer.status_code == 200
    assert answer.json()["classes_too_small"] == ["generator", "load", "neither"]
    assert answer.json()["features_alone"] is None


def test_labels_that_are_absent_have_no_suitability(api: TestClient) -> None:
    graph_id = post_graph(api)
    assert api.get(f"/graphs/{graph_id}/labels/zone/suitability").status_code == 404
