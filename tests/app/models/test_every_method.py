"""Every method that the service offers: fitted, stored, loaded, shown on a card, made again."""

import numpy as np
import pytest
from starlette.testclient import TestClient

import ml
from app.graphs.service import get_label_set, load_grid, read_surroundings, to_ml_graph
from app.models.service import get_model, load_weights
from app.storage.db import Database
from tests.app.models.real_models import AUTO, KNOWN, SPLIT, post_ring, put_trained

OFFERED = [key for key, method in ml.METHODS.items() if method.offered]


def read_back(api: TestClient, model_id: str) -> tuple[ml.Artifact, ml.Graph, ml.Surroundings]:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.reading() as session:
        row = get_model(session, model_id)
        artifact = ml.load_artifact(load_weights(session, model_id), row.manifest)
        label_set = get_label_set(session, row.graph_id, row.label)
        grid = load_grid(session, row.graph_id)
    return artifact, to_ml_graph(grid, label_set), read_surroundings(grid)


def fit_again(artifact: ml.Artifact, graph: ml.Graph, surroundings: ml.Surroundings) -> ml.Artifact:
    method = ml.get_method(artifact.method)
    settings = dict(artifact.manifest["config"])
    if method.key == AUTO:
        schedule = ml.read_schedule(artifact.manifest)
        chosen = ml.AutoSettings.from_stored(settings)
        return ml.fit_auto(graph, KNOWN, chosen, surroundings, schedule=schedule).artifact
    if method.is_network:
        return ml.fit(graph, SPLIT, ml.make_config(**settings)).artifact
    del settings["method"]
    task = ml.BaselineTask(graph, SPLIT, ml.make_config(seed=settings.pop("seed")), lambda: None)
    return ml.fit_baseline(method, task, settings).artifact


@pytest.mark.parametrize("key", OFFERED)
def test_a_stored_model_is_loaded_shown_and_made_again(api: TestClient, key: str) -> None:
    model_id = put_trained(api, post_ring(api), key)
    artifact, graph, surroundings = read_back(api, model_id)
    assert artifact.method == key
    card = api.get(f"/models/{model_id}/card").json()
    assert ml.METHODS[key].description in card["model"]["what"]
    assert api.get(f"/models/{model_id}/card.html").status_code == 200
    again = fit_again(artifact, graph, surroundings)
    assert ml.list_differences(artifact.manifest, graph) == []
    split = KNOWN if key == AUTO else SPLIT
    assert ml.largest_difference(artifact, again, graph, split) == 0
    assert again.sha256 == artifact.sha256


@pytest.mark.parametrize("key", [key for key in OFFERED if ml.METHODS[key].predict])
def test_stored_arrays_give_the_stored_predictions(api: TestClient, key: str) -> None:
    model_id = put_trained(api, post_ring(api), key)
    artifact, graph, _ = read_back(api, model_id)
    served = api.get("/predict", params={"model_id": model_id}).json()["probabilities"]
    answers = (
        ml.read_answers(artifact) if key == AUTO else ml.predict_probabilities(artifact, graph)
    )
    np.testing.assert_allclose(answers, served, atol=1e-5)


def test_an_automatic_choice_answers_a_known_bus_out_of_fold_and_others_refitted(
    api: TestClient,
) -> None:
    artifact, graph, _ = read_back(api, put_trained(api, post_ring(api), AUTO))
    answers, refitted = ml.read_answers(artifact), ml.predict_probabilities(artifact, graph)
    np.testing.assert_array_equal(answers[11], refitted[11])
    np.testing.assert_array_equal(answers[:11], artifact.tensors()["held_out"])
    assert np.abs(answers[:11] - refitted[:11]).max() > 0.1
