import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.nn import functional

from ml.config.levy import LfgcnSettings
from ml.errors import ArtifactRejected, InvalidGraph
from ml.graph.graph import Graph
from ml.graph.scaling import FeatureScaling
from ml.methods.registry import read_settings
from ml.methods.stored import predict_probabilities
from ml.nn.lfgcn import LevyNetwork
from ml.nn.views import LevyViews
from ml.training.device import choose_device
from ml.training.fit import TrainingResult, fit
from tests.ml.small_grids import quick, ring_with_chords, split_of


def trained(**changes: object) -> TrainingResult:
    graph = ring_with_chords()
    return fit(graph, split_of(graph), quick(epochs=20, learning_rate=0.05, **changes))


def torch_probabilities(result: TrainingResult, graph: Graph) -> np.ndarray:
    """The torch network, rebuilt from the artifact and shown another graph."""
    config = result.artifact.settings(LfgcnSettings)
    network = LevyNetwork(config, graph.features.shape[1], graph.class_count).eval()
    tensors = result.artifact.tensors()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})
    scaling = FeatureScaling.from_dict(result.artifact.manifest["scaling"])
    features = torch.from_numpy(scaling.transform(graph.features)).float()
    view = LevyViews(graph, config, choose_device("cpu")).whole()
    with torch.no_grad():
        return functional.softmax(network(features, view, None), dim=1).numpy()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"skip": "filtered"},
        {"skip": "none"},
        {"skip": "pooled"},
        {"output_skip": False},
        {"activation": "branch"},
        {"gate": "channel"},
        {"pooling": "mixed"},
        {"pooling": "max"},
        {"pooling": "average"},
        {"branches": 1},
        {"layers": 1},
        {"layers": 4},
        {"filter_method": "exact"},
        {"filter_order": 3, "sigma": 1.0, "gamma": 1.0},
        {"feature_scaling": "minmax", "sigma": 0.0},
        {"feature_scaling": "quantile"},
        {"feature_scaling": "presence"},
        {"dropout": 0.5, "drop_edge": "uniform", "drop_rate": 0.3},
    ],
    ids=str,
)
def test_numpy_gives_what_torch_gave(changes: dict[str, object]) -> None:
    result = trained(**changes)
    served = predict_probabilities(result.artifact, ring_with_chords())
    np.testing.assert_allclose(served, result.probabilities, atol=1e-5)


def test_a_changed_graph_is_classified_by_its_new_edges_and_features() -> None:
    result = trained()
    graph = ring_with_chords()
    outage = ring_with_chords(
        edges=graph.edges[3:],
        weights=graph.weights[3:],
        features=graph.features + 0.3,
    )
    served = predict_probabilities(result.artifact, outage)
    np.testing.assert_allclose(served, torch_probabilities(result, outage), atol=1e-5)
    assert np.abs(served - result.probabilities).max() > 1e-3


def test_another_grid_with_the_same_features_is_classified() -> None:
    result = trained()
    other = ring_with_chords(node_count=47, seed=9)
    served = predict_probabilities(result.artifact, other)
    np.testing.assert_allclose(served, torch_probabilities(result, other), atol=1e-5)
    assert (served.argmax(axis=1) == other.labels).mean() > 0.8


def test_features_are_found_by_name_whatever_their_order() -> None:
    result = trained()
    graph = ring_with_chords()
    extra = np.concatenate([np.full((30, 1), 7.0), graph.features[:, ::-1]], axis=1)
    shuffled = ring_with_chords(features=extra, feature_names=("kv", "generation", "load"))
    served = predict_probabilities(result.artifact, shuffled)
    np.testing.assert_allclose(served, result.probabilities, atol=1e-5)


def test_every_missing_feature_is_listed() -> None:
    result = trained()
    poor = ring_with_chords(features=np.ones((30, 1)), feature_names=("kv",))
    with pytest.raises(InvalidGraph) as caught:
        predict_probabilities(result.artifact, poor)
    problems = " ".join(str(fault) for fault in caught.value.faults)
    assert "load" in problems
    assert "generation" in problems


def test_a_method_without_a_numpy_pass_is_refused() -> None:
    graph = ring_with_chords()
    result = fit(graph, split_of(graph), quick(method="chebnet"))
    with pytest.raises(ArtifactRejected, match="chebnet"):
        predict_probabilities(result.artifact, graph)


def test_predicting_and_loading_import_no_torch() -> None:
    script = (
        "import sys, ml; ml.predict_probabilities, ml.load_artifact, ml.evaluate,"
        " ml.NetworkSettings; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_configuration_survives_the_manifest() -> None:
    result = trained(alpha=0.35)
    assert read_settings(result.artifact.manifest["config"]) == result.config
