import numpy as np
import pytest
import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.methods.registry import change_settings, make_config
from ml.nn.kernels.dropout import drop
from ml.nn.sparse import (
    KEPT_PATTERNS,
    densify,
    from_pairs,
    from_pairs_transposed,
    make_features,
    multiply,
)
from ml.training.interfaces import import_network
from tests.ml.communities import two_communities
from tests.ml.nn.networks.test_networks import METHODS

CONFIG = make_config(width=8, branches=2, members=2, device="cpu", drop_edge="none")


def words(rows: int = 40, share: float = 0.01) -> FloatArray:
    generator = np.random.default_rng(0)
    return (generator.random((rows, 600)) < share).astype(np.float64)


def test_wide_and_nearly_empty_features_are_sparse_and_equal() -> None:
    features = make_features(words(), CONFIG)
    assert features.is_sparse
    np.testing.assert_array_equal(densify(features).numpy(), words())


@pytest.mark.parametrize("columns", [words(share=0.2), words()[:, :100]])
def test_full_or_narrow_features_stay_dense(columns: FloatArray) -> None:
    assert not make_features(columns, CONFIG).is_sparse


def test_dropout_of_a_sparse_signal_keeps_zeros_and_scales_the_rest() -> None:
    torch.manual_seed(0)
    features = make_features(words(), CONFIG)
    dropped = densify(drop(features, 0.5, training=True))
    assert set(dropped.flatten().tolist()) == {0.0, 2.0}
    assert ((dropped > 0) <= (densify(features) > 0)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_network_gives_the_same_for_sparse_and_dense_features(method: str) -> None:
    graph = two_communities()
    columns = words()
    if method == "lfgcn_plus":
        columns = np.concatenate([columns, np.eye(2)[graph.labels]], axis=1)
    module = import_network(method)
    config = change_settings(CONFIG, {"method": method})
    view = module.make_views(graph, config, torch.device("cpu")).whole()
    network = module.build_network(config, columns.shape[1], 2).eval()
    sparse = make_features(columns, config)
    assert sparse.is_sparse
    torch.testing.assert_close(network(sparse, view, None), network(densify(sparse), view, None))


@pytest.mark.parametrize("method", METHODS)
def test_a_network_in_training_takes_sparse_features_at_chosen_nodes(method: str) -> None:
    graph = two_communities()
    columns = words()
    if method == "lfgcn_plus":
        columns = np.concatenate([columns, np.eye(2)[graph.labels]], axis=1)
    module = import_network(method)
    config = change_settings(CONFIG, {"method": method, "dropout": 0.5})
    view = module.make_views(graph, config, torch.device("cpu")).whole()
    network = module.build_network(config, columns.shape[1], 2).train()
    nodes = torch.tensor([1, 5, 9])
    logits = network(make_features(columns, config), view, nodes)
    assert logits.shape == (3, 2)
    assert bool(logits.isfinite().all())


@pytest.mark.parametrize("share", [0.0, 0.01, 0.04])
def test_a_product_by_compressed_rows_is_the_product_of_the_dense_matrix(share: float) -> None:
    sparse = torch.from_numpy(words(share=share)).float().to_sparse().coalesce()
    kernel = torch.randn(sparse.shape[1], 5, requires_grad=True)
    weights = torch.randn(len(sparse), 5)
    products = [multiply(features, kernel) for features in (sparse, densify(sparse))]
    slopes = [torch.autograd.grad((product * weights).sum(), kernel) for product in products]
    torch.testing.assert_close(*products)
    torch.testing.assert_close(*slopes)


# Compressed rows


def draw_matrix(seed: int) -> Tensor:
    """A sparse coordinate matrix with 50 entries."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.randperm(20 * 30, generator=generator)[:50].sort().values
    values = torch.rand(50, generator=generator)
    index = torch.stack([places // 30, places % 30])
    return torch.sparse_coo_tensor(index, values, (20, 30), check_invariants=True).coalesce()


def test_matrices_of_equal_size_have_separate_patterns() -> None:
    for matrix in [draw_matrix(seed) for seed in range(2 * KEPT_PATTERNS)]:
        dense = matrix.to_dense()
        torch.testing.assert_close(from_pairs(matrix).to_dense(), dense)
        torch.testing.assert_close(from_pairs_transposed(matrix).to_dense(), dense.T)


def test_a_matrix_at_the_address_of_a_deleted_one_has_its_own_pattern() -> None:
    for seed in range(20):
        matrix = draw_matrix(seed)
        torch.testing.assert_close(from_pairs_transposed(matrix).to_dense(), matrix.to_dense().T)
        del matrix
