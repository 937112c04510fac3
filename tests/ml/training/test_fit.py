import dataclasses
import threading

import numpy as np
import pytest
import torch

from ml.config.settings import NetworkSettings
from ml.errors import (
    CheckpointRejected,
    DeviceUnavailable,
    InvalidGraph,
    InvalidSplit,
    TrainingDiverged,
)
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.training.fit import TrainingResult, fit
from ml.training.history import EpochRecord
from tests.ml.small_grids import quick, ring_with_chords, split_of


def run(config: NetworkSettings, graph: Graph | None = None, **options: object) -> TrainingResult:
    graph = ring_with_chords() if graph is None else graph
    return fit(graph, split_of(graph), config, **options)  # type: ignore[arg-type]  # passed on


def timeless(result: TrainingResult) -> list[EpochRecord]:
    return [dataclasses.replace(record, seconds=0.0) for record in result.history]


def test_a_run_learns_separable_classes() -> None:
    result = run(quick(epochs=100, feature_scaling="standard"))
    assert result.metrics["train"].accuracy == 1.0
    assert result.metrics["test"].accuracy > 0.9


def test_probabilities_cover_every_node_and_sum_to_one() -> None:
    result = run(quick())
    assert result.probabilities.shape == (30, 3)
    assert result.probabilities.dtype == np.float64
    np.testing.assert_allclose(result.probabilities.sum(axis=1), 1, atol=1e-12)


def test_equal_seeds_give_bit_equal_results() -> None:
    first, second = run(quick(dropout=0.3)), run(quick(dropout=0.3))
    assert timeless(first) == timeless(second)
    assert first.artifact.weights == second.artifact.weights


def test_another_seed_gives_another_run() -> None:
    assert run(quick()).artifact.sha256 != run(quick(seed=1)).artifact.sha256


def test_the_random_state_of_the_caller_is_left_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    run(quick(dropout=0.5))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("method", ["lfgcn", "gcn"])
@pytest.mark.parametrize("drop_edge", ["preferential", "uniform", "none"])
def test_a_resumed_run_is_bit_equal_to_an_uninterrupted_one(method: str, drop_edge: str) -> None:
    config = quick(
        method=method, dropout=0.4, drop_edge=drop_edge, drop_rate=0.5, drop_top=0.5, drop_every=3
    )
    kept: dict[int, bytes] = {}
    whole = run(config, on_checkpoint=kept.__setitem__, checkpoint_every=4)
    for content in kept.values():
        resumed = run(config, resume_from=content)
        assert timeless(resumed) == timeless(whole)
        assert resumed.best_epoch == whole.best_epoch
        assert resumed.artifact.weights == whole.artifact.weights
        assert np.array_equal(resumed.probabilities, whole.probabilities)


@pytest.mark.parametrize("operator", ["dense", "sparse"])
def test_a_resumed_run_is_bit_equal_whatever_stores_the_operator(operator: str) -> None:
    config = quick(operator=operator, drop_rate=0.5, drop_top=0.5)
    kept: dict[int, bytes] = {}
    whole = run(config, on_checkpoint=kept.__setitem__, checkpoint_every=4)
    resumed = run(config, resume_from=kept[4])
    assert timeless(resumed) == timeless(whole)
    assert resumed.artifact.weights == whole.artifact.weights


def test_checkpoints_come_at_the_interval_asked_for() -> None:
    epochs: list[int] = []
    run(quick(), on_checkpoint=lambda epoch, _: epochs.append(epoch), checkpoint_every=3)
    assert epochs == [3, 6]


def test_a_checkpoint_at_the_last_epoch_trains_no_further() -> None:
    kept: dict[int, bytes] = {}
    whole = run(quick(), on_checkpoint=kept.__setitem__, checkpoint_every=8)
    seen: list[EpochRecord] = []
    resumed = run(quick(), resume_from=kept[8], on_epoch=seen.append)
    assert seen == []
    assert resumed.artifact.weights == whole.artifact.weights


def test_a_checkpoint_of_another_run_is_rejected() -> None:
    kept: dict[int, bytes] = {}
    run(quick(), on_checkpoint=kept.__setitem__, checkpoint_every=4)
    with pytest.raises(CheckpointRejected, match="other settings"):
        run(quick(alpha=0.3), resume_from=kept[4])
    with pytest.raises(CheckpointRejected, match="other settings"):
        run(quick(), ring_with_chords(seed=1), resume_from=kept[4])


def test_a_damaged_checkpoint_is_rejected() -> None:
    kept: dict[int, bytes] = {}
    run(quick(), on_checkpoint=kept.__setitem__, checkpoint_every=4)
    for content in (b"", b"not safetensors", kept[4][:-20], kept[4][:100]):
        with pytest.raises(CheckpointRejected, match="damaged"):
            run(quick(), resume_from=content)


def test_an_exception_of_the_callback_ends_the_run() -> None:
    class Cancelled(Exception):
        pass

    seen: list[int] = []

    def stop_at_three(record: EpochRecord) -> None:
        seen.append(record.epoch)
        if record.epoch == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        run(quick(), on_epoch=stop_at_three)
    assert seen == [1, 2, 3]


def test_patience_ends_a_run_that_no_longer_improves() -> None:
    result = run(quick(epochs=500, patience=10, learning_rate=0.1))
    assert len(result.history) == result.best_epoch + 10


def test_the_weights_of_the_best_epoch_are_kept() -> None:
    result = run(quick(epochs=40, learning_rate=0.1, weight_decay=0.1, stop_on="loss"))
    losses = [record.validation_loss for record in result.history]
    assert result.best_epoch == 1 + int(np.argmin(losses))
    assert result.metrics["validation"].log_loss == pytest.approx(min(losses), rel=1e-4)


def test_stopping_on_accuracy_prefers_accuracy_over_loss() -> None:
    result = run(quick(epochs=60, learning_rate=0.3, stop_on="accuracy"))
    best = max(record.validation_accuracy for record in result.history)
    assert result.metrics["validation"].accuracy == best


def test_records_agree_with_the_metrics_module() -> None:
    result = run(quick(epochs=1))
    measured = result.metrics["validation"]
    assert result.history[0].validation_accuracy == pytest.approx(measured.accuracy)
    assert result.history[0].validation_macro_f1 == pytest.approx(measured.macro_f1)


def test_a_learning_rate_that_explodes_is_named() -> None:
    graph = ring_with_chords(features=ring_with_chords().features * 1e30)
    config = quick(feature_scaling="none", learning_rate=10, epochs=50)
    with pytest.raises(TrainingDiverged) as caught:
        run(config, graph)
    assert caught.value.epoch >= 1


def test_dropped_edges_are_reported() -> None:
    result = run(quick(drop_rate=0.5, drop_top=0.5))
    assert {record.dropped_edges for record in result.history} == {8}
    assert {record.dropped_edges for record in run(quick(drop_edge="none")).history} == {0}


@pytest.mark.parametrize("method", ["lfgcn", "gcn"])
def test_dropping_edges_changes_what_is_learned(method: str) -> None:
    dropping = run(quick(method=method, drop_edge="uniform", drop_rate=0.5))
    keeping = run(quick(method=method, drop_edge="none"))
    assert dropping.artifact.sha256 != keeping.artifact.sha256


def test_edges_of_the_callers_own_scores_are_dropped() -> None:
    graph = ring_with_chords()
    scores = np.zeros(len(graph.pairs))
    scores[7] = 1.0
    kept = np.delete(np.arange(len(graph.edges)), _edge_of(graph, graph.pairs[7]))
    without = ring_with_chords(edges=graph.edges[kept], weights=graph.weights[kept])
    config = quick(epochs=1, drop_rate=1.0, drop_top=1e-9)
    scored = fit(graph, split_of(graph), config, edge_scores=scores)
    censored = fit(without, split_of(graph), quick(epochs=1, drop_edge="none"))
    assert scored.history[0].train_loss == pytest.approx(censored.history[0].train_loss)


def _edge_of(graph: Graph, pair: np.ndarray) -> int:
    return int(np.flatnonzero((np.sort(graph.edges, axis=1) == pair).all(axis=1))[0])


def test_a_checkpoint_with_other_scores_is_rejected() -> None:
    kept: dict[int, bytes] = {}
    run(quick(), on_checkpoint=kept.__setitem__, checkpoint_every=4)
    scores = np.ones(len(ring_with_chords().pairs))
    with pytest.raises(CheckpointRejected, match="other settings"):
        run(quick(), resume_from=kept[4], edge_scores=scores)


def test_class_weights_change_the_loss_of_unbalanced_labels() -> None:
    graph = ring_with_chords()
    rare = np.where(graph.labels == 2, np.where(np.arange(30) < 15, 2, 0), graph.labels)
    graph = ring_with_chords(labels=rare)
    plain, balanced = run(quick(), graph), run(quick(class_weights="balanced"), graph)
    assert plain.history[0].train_loss != balanced.history[0].train_loss


def test_the_manifest_says_what_the_result_depends_on() -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    manifest = run(quick(seed=3)).artifact.manifest
    assert manifest["seed"] == 3
    assert manifest["graph_hash"] == graph.content_hash
    assert manifest["label_hash"] == graph.label_hash
    assert manifest["split"]["hash"] == split.content_hash
    assert manifest["split"]["train"] == split.train.tolist()
    assert manifest["threads"] == torch.get_num_threads()
    assert manifest["versions"]["torch"] == torch.__version__
    assert manifest["feature_names"] == ["load", "generation"]
    assert manifest["device"] == "cpu"
    assert manifest["cpu"]


def test_test_labels_do_not_reach_the_weights() -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    scrambled = graph.labels.copy()
    scrambled[split.test] = (scrambled[split.test] + 1) % 3
    with_scrambled = fit(ring_with_chords(labels=scrambled), split, quick(dropout=0.2))
    assert with_scrambled.artifact.weights == fit(graph, split, quick(dropout=0.2)).artifact.weights


def test_cuda_without_a_device_is_named() -> None:
    if torch.cuda.is_available():
        pytest.skip("a CUDA device is present")
    with pytest.raises(DeviceUnavailable):
        run(quick(device="cuda"))


def test_unusable_splits_are_named() -> None:
    graph = ring_with_chords()
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(InvalidSplit, match="validate"):
        fit(graph, Split(np.arange(5), none, none), quick())
    with pytest.raises(InvalidSplit, match="does not exist"):
        fit(graph, Split(np.arange(5), np.array([99]), none), quick())
    unlabelled = ring_with_chords(labels=np.where(np.arange(30) == 2, -1, graph.labels))
    with pytest.raises(InvalidSplit, match="without a label"):
        fit(unlabelled, Split(np.arange(5), np.arange(5, 9), none), quick())


def test_a_graph_without_features_is_refused() -> None:
    graph = ring_with_chords(features=np.zeros((30, 0)), feature_names=())
    with pytest.raises(InvalidGraph, match="at least one feature"):
        run(quick(), graph)


def test_training_works_outside_the_main_thread() -> None:
    results: list[TrainingResult] = []
    thread = threading.Thread(target=lambda: results.append(run(quick())))
    thread.start()
    thread.join()
    assert results[0].artifact.weights == run(quick()).artifact.weights
