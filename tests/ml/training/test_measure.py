from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ml import NetworkSettings, evaluate, make_config
from ml.artifact.manifest import BaselineDocument
from ml.errors import TrainingInterrupted
from ml.graph.graph import Graph
from ml.methods import majority
from ml.methods.closed_form import MOST_FRACTIONAL_NODES, list_forms
from ml.methods.registry import BASELINES, get_method
from ml.training.baselines import BaselineTask, fit_baseline
from ml.training.measure import measure_baselines
from tests.ml.communities import split_of, two_communities

QUICK = make_config(epochs=5, width=4, seed=11)
KEYS = ["majority", "one_rule", "label_propagation", "closed_form", "forest", "mlp", "gcn"]


def pass_by(_title: str, _reports: Sequence[BaselineDocument]) -> None:
    """Hear of progress and let it go on."""


def comparison_on(graph: Graph, config: NetworkSettings = QUICK) -> BaselineTask:
    return BaselineTask(graph, split_of(graph), config, lambda: None)


@pytest.fixture(scope="module")
def reports() -> list[BaselineDocument]:
    return [
        each.report for each in measure_baselines(comparison_on(two_communities()), 600, pass_by)
    ]


def test_all_seven_are_measured_on_validation_and_test(reports: list[BaselineDocument]) -> None:
    assert [report["key"] for report in reports] == KEYS
    split = split_of(two_communities())
    for report in reports:
        assert report["skipped"] is None, report
        assert report["seed"] == 11
        assert report["validation"]["count"] == len(split.validation)
        assert report["test"]["count"] == len(split.test)
        assert report["tried"] == report["candidates"]


def test_a_figure_is_that_of_the_method_on_the_same_split(reports: list[BaselineDocument]) -> None:
    graph = two_communities()
    split = split_of(graph)
    found = evaluate(
        majority.fit(graph, split, majority.MajoritySettings())[0], graph.labels, split.test
    )
    assert reports[0]["test"]["accuracy"] == found.accuracy


def test_the_closed_form_is_the_best_of_all_six_on_validation(
    reports: list[BaselineDocument],
) -> None:
    comparison = comparison_on(two_communities())
    graph, method = comparison.graph, get_method("closed_form")
    scores = [
        evaluate(
            fit_baseline(method, comparison, form).probabilities,
            graph.labels,
            comparison.split.validation,
        ).accuracy
        for form in list_forms(graph, comparison.config)
    ]
    assert len(scores) == 27
    assert reports[3]["validation"]["accuracy"] == max(scores)


def test_large_graphs_are_spared_the_fractional_forms() -> None:
    count = MOST_FRACTIONAL_NODES + 1
    edges = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    graph = Graph(node_count=count, edges=edges, weights=np.ones(count - 1))
    assert {form["gamma"] for form in list_forms(graph, QUICK)} == {1.0}


def test_without_time_every_baseline_is_left_out_with_the_reason() -> None:
    found = [
        each.report for each in measure_baselines(comparison_on(two_communities()), 0, pass_by)
    ]
    assert [report["key"] for report in found] == KEYS
    for report in found:
        assert report["skipped"] == "its share of the time for baselines was used up"
        assert "validation" not in report


def test_what_an_earlier_attempt_measured_is_kept(reports: list[BaselineDocument]) -> None:
    known = [report | {"seconds": -1} for report in reports[2:]]
    again = measure_baselines(comparison_on(two_communities()), 600, pass_by, known)
    kept = [each.report["seconds"] == -1 for each in again]
    assert kept == [False] * 2 + [True] * 5
    assert all(each.fitted is not None for each in again)


def test_a_baseline_that_fails_is_left_out_with_the_reason() -> None:
    graph = two_communities(size=10)
    bare = replace(graph, features=np.zeros((graph.node_count, 0)), feature_names=())
    measured = measure_baselines(comparison_on(bare), 600, pass_by)
    found = {each.report["key"]: each.report for each in measured}
    for key in ("mlp", "gcn"):
        assert found[key]["skipped"] == "it failed: features: a network needs at least one feature"
    assert found["forest"]["skipped"] is None


def test_a_stopping_worker_ends_the_measurement() -> None:
    def stop() -> None:
        raise TrainingInterrupted(3)

    comparison = replace(comparison_on(two_communities()), check_stop=stop)
    with pytest.raises(TrainingInterrupted):
        measure_baselines(comparison, 600, pass_by)


def test_progress_names_the_baseline_and_what_is_done() -> None:
    heard: list[tuple[str, int]] = []
    measure_baselines(
        comparison_on(two_communities()), 0, lambda title, done: heard.append((title, len(done)))
    )
    assert heard == [(method.title, position) for position, method in enumerate(BASELINES)]
