import pytest
import torch
from torch.nn import functional

from ml.config.levy import LfgcnSettings
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix
from ml.nn.filters.base import FilterSettings
from ml.nn.filters.operator_filter import OperatorFilter
from ml.nn.kernels.gated_pooling import pool_gated
from ml.nn.lfgcn import LevyNetwork
from ml.nn.views import LevyViews
from tests.ml.small_grids import quick_levy, ring_with_chords

CPU = torch.device("cpu")


def features() -> torch.Tensor:
    torch.manual_seed(1)
    return torch.randn(30, 2)


def network_of(config: LfgcnSettings, inputs: int = 2) -> LevyNetwork:
    torch.manual_seed(0)
    network = LevyNetwork(config, inputs, 3)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 0.5)
    return network.eval()


def weights_of(network: LevyNetwork, layer: int) -> dict[str, torch.Tensor]:
    prefix = f"layers.{layer}."
    named = network.named_parameters()
    return {name.removeprefix(prefix): p for name, p in named if name.startswith(prefix)}


def parameter_count(**changes: object) -> int:
    return sum(p.numel() for p in LevyNetwork(quick_levy(**changes), 2, 3).parameters())


def test_the_forward_pass_is_the_formula_of_the_paper() -> None:
    """Written out branch by branch, with no shortcut, in the order of the equations."""
    config = quick_levy(skip="input", output_skip=True)
    graph = ring_with_chords()
    network = network_of(config)
    view = LevyViews(graph, config, CPU).whole()
    levy = DenseLevyOperator(graph.adjacency, config.gamma, config.sigma)
    g = torch.from_numpy(filter_matrix(levy.matrix, config.alpha, config.taylor_order)).float()

    signal = features()
    for position in range(2):
        weights = weights_of(network, position)
        pairs = zip(weights["kernel"], weights["bias"], strict=True)
        stacked = torch.stack([g @ signal @ kernel + bias for kernel, bias in pairs])
        gated = [w * x for w, x in zip(weights["pooling.gate"], stacked, strict=True)]
        share = torch.sigmoid(torch.stack(gated).sum(0))
        pooled = share * stacked.amax(0) + (1 - share) * stacked.mean(0)
        skipped = signal @ weights["skip"]
        if position == 0:
            signal = functional.relu(functional.elu(pooled) + skipped)
        else:
            signal = pooled + skipped
    torch.testing.assert_close(network(features(), view, None), signal, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("skip", ["input", "filtered", "pooled", "none"])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_asking_for_some_nodes_gives_their_rows(skip: str, layers: int) -> None:
    config = quick_levy(skip=skip, layers=layers)
    network = network_of(config)
    view = LevyViews(ring_with_chords(), config, CPU).whole()
    nodes = torch.tensor([0, 11, 29])
    everywhere = network(features(), view, None)
    torch.testing.assert_close(network(features(), view, nodes), everywhere[nodes])


@pytest.mark.parametrize("skip", ["input", "filtered"])
def test_filtering_before_or_after_the_weights_is_the_same(skip: str) -> None:
    """Forty columns in and one path of three out: the weights come first; the order of
    products must not show.
    """
    config = quick_levy(skip=skip, layers=1, parallel_paths=2)
    graph = ring_with_chords()
    network = network_of(config, inputs=40)
    view = LevyViews(graph, config, CPU).whole()
    wide = torch.randn(30, 40)
    weights = weights_of(network, 0)
    filtered = view.apply(wide)
    outputs = torch.matmul(filtered, weights["kernel"]) + weights["bias"]
    pooled = pool_gated(outputs, weights["pooling.gate"])
    skipped = (filtered if skip == "filtered" else wide) @ weights["skip"]
    torch.testing.assert_close(network(wide, view, None), pooled + skipped, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("skip", ["input", "filtered"])
@pytest.mark.parametrize("sparse", [False, True])
def test_wide_features_that_stay_the_same_may_be_filtered_before_the_weights(
    skip: str, *, sparse: bool
) -> None:
    config = quick_levy(width=2, parallel_paths=2, skip=skip)
    graph = ring_with_chords()
    operator = DenseLevyOperator(graph.adjacency, config.gamma, config.sigma)
    signal = torch.relu(torch.randn(30, 9, generator=torch.Generator().manual_seed(0)))
    signal = signal.to_sparse().coalesce() if sparse else signal
    found = []
    for keeps in (False, True):
        network = network_of(config, 9)
        view = OperatorFilter(operator, FilterSettings(0.3, 2), keeps_constants=keeps)
        logits = network(signal, view, None)
        logits.square().sum().backward()
        found.append((logits, weights_of(network, 0)["kernel"].grad))
    torch.testing.assert_close(found[1], found[0], atol=1e-4, rtol=1e-4)


def test_each_component_can_be_switched_off() -> None:
    whole = parameter_count()
    assert parameter_count(parallel_paths=1) < whole
    assert parameter_count(pooling="average") == whole - 2 * 4
    assert parameter_count(skip="none") == whole - 2 * 8 - 8 * 3
    assert parameter_count(output_skip=False) == whole - 8 * 3


@pytest.mark.parametrize(
    "change",
    [
        {"pooling": "max"},
        {"pooling": "average"},
        {"activation": "branch"},
        {"skip": "filtered"},
        {"skip": "pooled"},
        {"skip": "none"},
        {"filter_order": 4},
        {"gamma": 1.0},
        {"sigma": 0.0},
        {"alpha": 0.7},
    ],
    ids=str,
)
def test_every_reading_changes_the_output(change: dict[str, object]) -> None:
    graph = ring_with_chords()
    usual, other = (
        network_of(config)(features(), LevyViews(graph, config, CPU).whole(), None)
        for config in (quick_levy(), quick_levy(**change))
    )
    assert (usual - other).abs().max() > 1e-4


def test_dropout_acts_in_training_only() -> None:
    config = quick_levy(dropout=0.5)
    network = network_of(config)
    view = LevyViews(ring_with_chords(), config, CPU).whole()
    values = features()
    torch.testing.assert_close(network(values, view, None), network(values, view, None))
    network.train()
    assert not torch.allclose(network(values, view, None), network(values, view, None))
