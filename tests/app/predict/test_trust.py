from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.predict.answers import ChosenModel
from app.predict.service import ModelChoice, choose_model
from app.storage.db import Database
from ml import Split, calibrate
from ml.arrays import FloatArray, IntArray
from tests.app.samples import CLASSES, post_graph, put_model, ring

COUNT = 120
NAMES = ("generator", "load", "neither")
NOTHING = np.zeros(0, dtype=np.int64)


def body_with_labels(known: IntArray, count: int = COUNT, **extra: Any) -> dict[str, Any]:
    """A ring of which only these buses are labelled."""
    body = ring(count, **extra)
    for place, bus in enumerate(body["buses"]):
        bus.pop("label", None)
        if place in known:
            bus["label"] = CLASSES[place % 3]
    return body


def shares_of(count: int = COUNT, seed: int = 0) -> FloatArray:
    """Probabilities that are right most of the time, and sometimes undecided."""
    truth = [NAMES.index(CLASSES[place % 3]) for place in range(count)]
    logits = np.random.default_rng(seed).normal(0, 1, (count, 3))
    logits[np.arange(count), truth] += 1
    powers = np.exp(logits)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def draw(count: int, of: int = COUNT) -> IntArray:
    return np.sort(np.random.default_rng(1).choice(of, count, replace=False))


def put_choice(api: TestClient, known: IntArray, **extra: Any) -> str:
    """Store an automatic choice with out-of-fold answers for these buses; return its grid."""
    graph_id = post_graph(api, body_with_labels(known, **extra.pop("body", {})))
    options: dict[str, Any] = {
        "kind": "auto",
        "manifest": {"feature_names": ["Pd"]},
        "probabilities": shares_of(),
        "split": Split(known, NOTHING, NOTHING),
    }
    put_model(api, graph_id, **options | extra)
    return graph_id


def get_rows(api: TestClient, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/predict?form=rows{query}")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["rows"]
    return rows


def test_the_set_is_the_conformal_one_of_the_known_buses(any_api: TestClient) -> None:
    known = draw(60)
    put_choice(any_api, known)
    shares = shares_of().astype(np.float32)
    truth = np.array([NAMES.index(CLASSES[place % 3]) for place in known])
    given = shares[known, truth].astype(np.float64)
    sets = calibrate(given, truth, 3, 0.8)
    assert sets is not None
    expected = [
        [NAMES[one] for one in np.flatnonzero(row)]
        for row in sets.contain(shares.astype(np.float64))
    ]
    rows = get_rows(any_api, "&coverage=0.8")
    assert [row["prediction_set"] for row in rows] == expected
    assert 1 < np.mean([len(members) for members in expected]) < 3


def test_the_answer_abstains_exactly_where_the_set_does_not_decide(api: TestClient) -> None:
    known = draw(60)
    put_choice(api, known)
    rows = get_rows(api)
    for place, row in enumerate(rows):
        if place in known:
            assert (row["abstain"], row["quality"]) == (False, "known")
            assert row["reasons"] == ["known label"]
        else:
            assert row["abstain"] == (len(row["prediction_set"]) != 1)
            assert ("set is not decisive" in row["reasons"]) == row["abstain"]
    qualities = {row["quality"] for row in rows}
    assert {"known", "good", "uncertain"} <= qualities
    abstained = [row["bus_id"] for row in rows if row["abstain"]]
    assert [row["bus_id"] for row in get_rows(api, "&abstain=true")] == abstained
    assert len(get_rows(api, "&abstain=false")) == COUNT - len(abstained)


def test_every_form_has_the_same_sets_and_reasons(api: TestClient) -> None:
    put_choice(api, draw(60))
    rows = get_rows(api, "&coverage=0.95")
    columns = api.get("/predict?coverage=0.95").json()
    names = columns["class_names"]
    sets = [[names[one] for one in members] for members in columns["prediction_sets"]]
    assert sets == [row["prediction_set"] for row in rows]
    for name in ("abstain", "quality", "reasons"):
        assert columns[name] == [row[name] for row in rows]
    points = api.get("/predict?form=geojson&coverage=0.95").json()["features"]
    shown = [point["properties"] for point in points]
    assert [one["prediction_set"] for one in shown] == ["; ".join(members) for members in sets]
    listed = api.post("/predict", json={"bus_ids": ["7", "2"], "coverage": 0.95}).json()
    assert listed["rows"] == [rows[6], rows[1]]
    assert listed["promise"]["coverage"] == 0.95


@pytest.mark.parametrize(
    ("count", "coverage", "kind"),
    [(8, 0.9, "none"), (9, 0.9, "empirical"), (98, 0.99, "none"), (99, 0.99, "empirical")],
)
def test_the_resolution_limits_the_promise(
    api: TestClient, count: int, coverage: float, kind: str
) -> None:
    put_choice(api, draw(count))
    answer = api.get(f"/predict/5?coverage={coverage}").json()
    promise = answer["promise"]
    assert (promise["kind"], promise["calibration_buses"]) == (kind, count)
    assert (answer["prediction_set"] is None) == (kind == "none")
    rows = [row for row in get_rows(api, f"&coverage={coverage}") if row["source"] == "predicted"]
    for row in rows if kind == "none" else []:
        assert (row["abstain"], row["quality"]) == (True, "doubtful")
        assert "too few labels" in row["reasons"]


def test_an_automatic_choice_promises_nothing_exactly(api: TestClient) -> None:
    put_choice(api, draw(60))
    sentence = api.get("/predict/1").json()["promise"]["sentence"]
    assert "90 %" in sentence
    assert "not a guarantee" in sentence


@pytest.mark.parametrize(("tested", "kind", "count"), [(99, "empirical", 109), (100, "exact", 100)])
def test_many_untouched_test_buses_make_the_promise_exact(
    api: TestClient, tested: int, kind: str, count: int
) -> None:
    order = np.random.default_rng(0).permutation(COUNT)
    split = Split(order[:9], order[9:19], order[19 : 19 + tested])
    put_choice(api, np.sort(order[: 19 + tested]), kind="lfgcn", split=split)
    promise = api.get("/predict/1").json()["promise"]
    assert (promise["kind"], promise["calibration_buses"]) == (kind, count)


def test_labels_of_one_part_of_the_grid_break_the_promise(api: TestClient) -> None:
    put_choice(api, np.arange(30))
    answer = api.get("/predict/90").json()
    assert answer["promise"]["kind"] == "none"
    assert "not a random sample" in answer["promise"]["sentence"]
    assert "labels are not a random sample" in answer["reasons"]
    assert "far from every label" in answer["reasons"]
    assert answer["quality"] == "doubtful"
    put_choice(api, draw(30), body={"name": "random"})
    assert api.get("/predict/90").json()["promise"]["kind"] == "empirical"


def test_substations_count_once(api: TestClient) -> None:
    known = np.flatnonzero(np.isin(np.arange(COUNT) // 4, draw(12, of=30)))
    body = body_with_labels(known)
    for place, bus in enumerate(body["buses"]):
        bus["substation"] = f"S{place // 4}"
    graph_id = post_graph(api, body)
    manifest: Any = {"feature_names": ["Pd"], "selection": {"grouped": True}}
    put_model(
        api,
        graph_id,
        kind="auto",
        manifest=manifest,
        probabilities=shares_of(),
        split=Split(known, NOTHING, NOTHING),
    )
    promise = api.get("/predict/1").json()["promise"]
    assert (promise["calibration_buses"], promise["calibration_substations"]) == (48, 12)
    promise = api.get("/predict/1?coverage=0.95").json()["promise"]
    assert promise["kind"] == "none"
    assert "19 substations" in promise["sentence"]


def test_an_island_without_labels_and_an_odd_feature_are_named(api: TestClient) -> None:
    known = draw(40, of=100)
    body = body_with_labels(known)
    body["branches"] = [one for one in body["branches"] if one["from"] not in ("100", "120")]
    body["buses"][50 if 50 not in known else 51]["features"]["Pd"] = 1e6
    graph_id = post_graph(api, body)
    put_model(
        api,
        graph_id,
        kind="auto",
        manifest={"feature_names": ["Pd"]},
        probabilities=shares_of(),
        split=Split(known, NOTHING, NOTHING),
    )
    reasons = {row["bus_id"]: row["reasons"] for row in get_rows(api)}
    assert "island without labels" in reasons["110"]
    assert not any("island without labels" in reasons[str(bus)] for bus in range(1, 101))
    odd = [bus for bus, found in reasons.items() if "outside the feature range" in found]
    assert odd == ["51" if 50 not in known else "52"]


def test_newer_labels_or_a_newer_grid_make_the_model_stale(any_api: TestClient) -> None:
    known = draw(60)
    unknown = str(int(np.setdiff1d(np.arange(COUNT), known)[0]) + 1)
    graph_id = put_choice(any_api, known)
    path = f"/predict/{unknown}?graph_id={graph_id}"
    answer = any_api.get(path).json()
    versions = answer["versions"]
    assert "stale model" not in answer["reasons"]
    assert (versions["grid"], versions["newest_grid"]) == (1, 1)
    assert (versions["labels"], versions["newest_labels"]) == (1, 1)
    assert versions["model_created_at"].startswith("20")
    changed = body_with_labels(known)
    changed["buses"][0]["features"]["Pd"] = 3.5
    newer = any_api.post(f"/graphs?version_of={graph_id}", json=changed)
    assert newer.status_code == 201, newer.text
    answer = any_api.get(path).json()
    assert answer["versions"]["newest_grid"] == 2
    assert "stale model" in answer["reasons"]
    assert answer["quality"] == "doubtful"


@pytest.mark.parametrize("coverage", ["0.49", "0.991", "1", "0", "-1", "nan", "inf", "x", ""])
@pytest.mark.parametrize("path", ["/predict", "/predict/1"])
def test_an_invalid_coverage_is_refused(api: TestClient, path: str, coverage: str) -> None:
    put_model(api, post_graph(api))
    answer = api.get(f"{path}?coverage={coverage}")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [fault["where"] for fault in answer.json()["errors"]] == ["query.coverage"]


@pytest.mark.parametrize("coverage", [0.4, 1, "0.9", None, True])
def test_an_invalid_coverage_of_a_list_is_refused(api: TestClient, coverage: Any) -> None:
    put_model(api, post_graph(api))
    answer = api.post("/predict", json={"bus_ids": ["1"], "coverage": coverage})
    assert answer.status_code == 422
    assert "coverage" in answer.json()["errors"][0]["where"]


def test_the_default_coverage_may_be_named(api: TestClient) -> None:
    put_choice(api, draw(60))
    assert api.get("/predict/1?coverage=0.9").content == api.get("/predict/1").content


def choose(api: TestClient) -> ChosenModel:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.reading() as session:
        return choose_model(session, ModelChoice())


def test_trust_is_assessed_once_per_model(api: TestClient) -> None:
    put_choice(api, draw(60))
    assert choose(api).trust is choose(api).trust
