import pytest

from ml.artifact.schema import ModelSizes, list_spec_faults
from ml.methods.base import Method
from ml.methods.registry import BASELINES, get_method
from ml.training.baselines import BaselineTask, fit_baseline
from ml.training.interfaces import import_network
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
    network = import_network(config.method).build_network(config, inputs, 3)
    real = {name: ("float32", tuple(value.shape)) for name, value in network.state_dict().items()}
    list_arrays = get_method(config.method).list_arrays
    assert list_arrays is not None
    assert list_arrays(config, ModelSizes(30, features, 3)) == real


def test_networks_that_only_torch_can_lay_out_declare_no_arrays() -> None:
    assert get_method("chebnet").list_arrays is None


@pytest.mark.parametrize(
    "method", [one for one in BASELINES if not one.is_network], ids=lambda method: method.key
)
def test_the_arrays_of_a_baseline_are_those_it_stores(method: Method) -> None:
    graph = ring_with_chords()
    comparison = BaselineTask(graph, split_of(graph), quick(), lambda: None)
    assert method.baseline_choices is not None
    assert method.list_arrays is not None
    settings = method.baseline_choices(graph, quick())[0]
    tensors = fit_baseline(method, comparison, settings).artifact.tensors()
    sizes = ModelSizes(30, 2, 3)
    chosen = method.settings(**settings)
    assert list(list_spec_faults(tensors, method.list_arrays(chosen, sizes))) == []
    assert list(method.list_array_faults(chosen, tensors, sizes)) == []
    name = next(iter(tensors))
    short = {**tensors, name: tensors[name][:0].astype("float16")}
    faults = list(list_spec_faults(short, method.list_arrays(chosen, sizes)))
    assert {fault.where for fault in faults} == {name}
