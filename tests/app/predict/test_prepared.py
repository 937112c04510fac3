import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from app.http.representation import Representation
from app.predict.prepared import PreparedAnswers
from app.settings import Settings
from app.storage.db import Database
from app.storage.tables import GraphRow, LabelRow
from tests.app.conftest import MakeApi
from tests.app.samples import post_graph, put_model, ring, store_sample
from tests.processes import wait_for


def prepared_of(api: TestClient) -> PreparedAnswers:
    found: PreparedAnswers = api.app.state.prepared  # type: ignore[attr-defined]  # an ASGI app
    return found


def is_prepared(api: TestClient, path: str, query: str = "") -> bool:
    return prepared_of(api).find(path, query.encode()) is not None


def prepare(api: TestClient, path: str, query: str = "") -> Representation:
    """Wait until an answer is prepared, and return it."""
    return wait_for(
        lambda: prepared_of(api).find(path, query.encode()), f"the answer of {path}?{query}"
    )


def get_unprepared(api: TestClient, path: str, query: str = "") -> Any:
    """Ask the FastAPI route: a query with two parameters is never prepared."""
    return api.get(f"{path}?label=label&{query}".rstrip("&"))


def wait_at_most_a_second(api: TestClient, path: str, field: str, value: str) -> None:
    """Repeat a request; one that is sent a second from now must have the new value."""
    changed = asked = time.monotonic()
    while api.get(path).json()[field] != value:
        assert asked - changed < 1
        asked = time.monotonic()


@pytest.fixture
def other_process(api: TestClient, sqlite_settings: Settings) -> Iterator[Database]:
    """The database as another process has it open."""
    database = Database(sqlite_settings.resolved_database_url)
    yield database
    database.close()


@pytest.mark.parametrize("bus", ["1", "6", "Bus 4"])
def test_the_prepared_answer_has_the_bytes_of_the_fastapi_route(
    any_api: TestClient, bus: str
) -> None:
    put_model(any_api, post_graph(any_api))
    expected = get_unprepared(any_api, f"/predict/{bus}")
    prepared = prepare(any_api, f"/predict/{bus}")
    answer = any_api.get(f"/predict/{bus}")
    assert prepared.body == answer.content == expected.content
    same = ("content-type", "etag", "cache-control", "content-length")
    assert [answer.headers[name] for name in same] == [expected.headers[name] for name in same]


def test_the_answer_has_the_fields_of_its_description(api: TestClient) -> None:
    put_model(api, post_graph(api))
    schema = api.get("/openapi.json").json()["components"]["schemas"]["PredictionOut"]
    assert list(api.get("/predict/1").json()) == list(schema["properties"])


def test_a_query_for_one_grid_is_prepared_too(api: TestClient) -> None:
    first = post_graph(api)
    put_model(api, first)
    put_model(api, post_graph(api, ring(name="other")))
    query = f"graph_id={first}"
    prepared = prepare(api, "/predict/1", query)
    assert prepared.body == get_unprepared(api, "/predict/1", query).content


def test_a_name_is_prepared_and_follows_the_newest_version(
    api: TestClient, other_process: Database
) -> None:
    first = post_graph(api, ring(name="north grid"))
    put_model(api, first)
    for query in ("graph=north%20grid", "graph=north+grid"):
        prepared = prepare(api, "/predict/1", query)
        assert prepared.body == get_unprepared(api, "/predict/1", query).content
    path = "/predict/1?graph=north+grid"
    assert api.get(path).json()["graph_id"] == first
    with other_process.writing() as session:
        session.execute(update(GraphRow).values(name="south grid"))
    asked = changed = time.monotonic()
    while api.get(path).status_code != 404:
        assert asked - changed < 1
        asked = time.monotonic()
    assert api.get("/predict/1?graph=south+grid").json()["graph_id"] == first


def test_a_bus_of_another_grid_is_prepared_when_it_is_asked_for(api: TestClient) -> None:
    large = post_graph(api, ring(name="large"))
    put_model(api, large)
    put_model(api, post_graph(api, ring(4, name="mine")))
    prepare(api, "/predict/6")
    assert api.get("/predict/6").json()["graph_id"] == large


@pytest.mark.parametrize("query", ["coverage=9", "graph_id=", "graph_id=none", "model_id=x"])
def test_other_queries_are_left_to_the_fastapi_route(api: TestClient, query: str) -> None:
    put_model(api, post_graph(api))
    prepare(api, "/predict/1")
    assert not is_prepared(api, "/predict/1", query)
    assert api.get(f"/predict/1?{query}").status_code in (404, 409, 422)


def test_the_prepared_route_is_inside_the_middleware(api: TestClient) -> None:
    put_model(api, post_graph(api))
    prepare(api, "/predict/1")
    answer = api.get("/predict/1", headers={"X-Request-ID": "trace-1"})
    assert answer.headers["x-request-id"] == "trace-1"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert api.get("/predict/1%00").status_code == 400


@pytest.mark.parametrize("ready", [True, False])
def test_head_and_conditional_requests_are_answered_by_both_routes(
    make_api: MakeApi, sqlite_settings: Settings, ready: bool
) -> None:
    size = 2**20 if ready else 0
    api = make_api(sqlite_settings.model_copy(update={"prepared_bytes": size}))
    put_model(api, post_graph(api))
    if ready:
        prepare(api, "/predict/1")
    answer = api.get("/predict/1")
    head = api.head("/predict/1")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(answer.content))
    again = api.get("/predict/1", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == answer.headers["etag"]


@pytest.mark.parametrize("ready", [True, False])
def test_an_answer_with_many_classes_is_compressed(
    make_api: MakeApi, sqlite_settings: Settings, ready: bool
) -> None:
    size = 2**20 if ready else 0
    api = make_api(sqlite_settings.model_copy(update={"prepared_bytes": size}))
    names = tuple(f"zone {number}" for number in range(443))
    shares = np.random.default_rng(0).dirichlet(np.ones(443), 6)
    put_model(api, post_graph(api), class_names=names, probabilities=shares)
    if ready:
        prepare(api, "/predict/1")
    plain = api.get("/predict/1", headers={"Accept-Encoding": "identity"})
    packed = api.get("/predict/1", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.content == plain.content


def test_a_change_by_this_process_is_seen_at_once(api: TestClient) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id, accuracy=0.1)
    prepare(api, "/predict/1")
    better = put_model(api, graph_id, accuracy=0.9)
    assert api.get("/predict/1").json()["model_id"] == better


def test_a_promotion_by_another_process_is_seen_within_a_second(
    api: TestClient, other_process: Database
) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id, accuracy=0.1)
    prepare(api, "/predict/1")
    better = store_sample(other_process, graph_id, accuracy=0.9)
    wait_at_most_a_second(api, "/predict/1", "model_id", better)
    prepare(api, "/predict/1")


def test_labels_replaced_by_another_process_are_seen_within_a_second(
    api: TestClient, other_process: Database
) -> None:
    graph_id = post_graph(api)
    put_model(api, graph_id)
    prepare(api, "/predict/6")
    assert api.get("/predict/6").json()["known_label"] is None
    with other_process.writing() as session:
        row = session.get(LabelRow, (graph_id, "label"))
        assert row is not None
        classes = np.frombuffer(row.classes, "<i4").copy()
        classes[5] = 0
        row.classes, row.version = classes.tobytes(), row.version + 1
    wait_at_most_a_second(api, "/predict/6", "known_label", "generator")


def test_an_answer_that_was_not_confirmed_lately_is_not_used(api: TestClient) -> None:
    put_model(api, post_graph(api))
    prepare(api, "/predict/1")
    time.sleep(1.5)
    assert not is_prepared(api, "/predict/1")


def test_the_memory_is_bounded_and_every_bus_is_still_answered(
    make_api: MakeApi, sqlite_settings: Settings
) -> None:
    api = make_api(sqlite_settings.model_copy(update={"prepared_bytes": 2500}))
    put_model(api, post_graph(api))
    for bus in "123456":
        prepare(api, f"/predict/{bus}")
        assert api.get(f"/predict/{bus}").json()["bus_id"] == bus
    assert 1 <= prepared_of(api).count <= 3
