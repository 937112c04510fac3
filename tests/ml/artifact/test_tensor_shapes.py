import pytest

from ml.artifact.artifact import SHALLOW
from ml.artifact.tensor_shapes import _WIDE, Sizes, expected_network, expected_shallow
from ml.nn.feature_matrix import WIDE
from ml.training.baselines import Trial, get_rival
from ml.training.methods import get_method
from tests.ml.small_grids import quick, ring_with_chords, split_of


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"layers": 1},
        {"layers": 4, "branches": 1},
        {"skip": "none"},
        {"skip": "pooled"},
        {"skip": "filtered", "output_skip": False},
        {"pooling": "mixed"},
        {"pooling": "max"},
        {"gate": "channel"},
        {"method": "mlp"},
        {"method": "gcn", "layers": 3},
        {"method": "lfgcn_plus", "members": 2},
        {"method": "lfgcn_plus", "feature_steps": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("features", [2, 600])
def test_the_arrays_of_a_network_follow_from_its_settings(
    changes: dict[str, object], features: int
) -> None:
    config = quick(**changes)
    inputs = features + 3 if config.method == "lfgcn_plus" else features
    network = get_method(config.method).build_network(config, inputs, 3)
    real = {name: ("float32", tuple(value.shape)) for name, value in network.state_dict().items()}
    assert expected_network(config, Sizes(30, features, 3)) == real


def test_a_method_that_only_torch_knows_is_said_so() -> None:
    assert expected_network(quick(method="chebnet"), Sizes(30, 2, 3)) is None


@pytest.mark.parametrize("method", sorted(SHALLOW))
def test_the_arrays_of_a_baseline_are_those_it_stores(method: str) -> None:
    graph = ring_with_chords()
    trial = Trial(graph, split_of(graph), quick(), lambda: None)
    rival = get_rival(method)
    tensors = rival.fit(trial, rival.list_settings(trial)[0]).artifact.tensors()
    expected = expected_shallow(method, Sizes(30, 2, 3))
    assert set(tensors) == set(expected)
    for name, (kind, shape) in expected.items():
        assert str(tensors[name].dtype) == kind
        known = [
            wanted in (None, length)
            for wanted, length in zip(shape, tensors[name].shape, strict=True)
        ]
        assert all(known)


def test_wide_features_are_the_same_to_both() -> None:
    assert _WIDE == WIDE
