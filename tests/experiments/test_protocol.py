import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.datasets.dataset import Dataset
from experiments.methods import CONTENDERS, Contender
from experiments.protocol import (
    PEEKING,
    choose_split,
    hide_test_labels,
    measure,
    validate,
)
from experiments.tuning import (
    FINALIST_EVERY,
    TRIALS,
    freeze,
    frozen_path,
    list_trials,
    read_frozen,
    trial_limit,
)
from ml.config.settings import NetworkSettings
from ml.errors import DatasetUnavailable
from ml.methods.registry import make_config
from ml.training.fit import fit
from tests.ml.communities import split_of, two_communities

FOREST = CONTENDERS["forest"]


def dataset_with(labels_of_test: np.ndarray[Any, Any] | None = None) -> Dataset:
    """The communities with a published split; the labels of its test nodes as given."""
    graph = two_communities()
    split = split_of(graph)
    if labels_of_test is not None:
        labels = graph.labels.copy()
        labels[split.test] = labels_of_test
        graph = dataclasses.replace(graph, labels=labels)
    return Dataset(name="communities", title="Communities", graph=graph, published=split)


def turned_test_labels() -> np.ndarray[Any, Any]:
    plain = dataset_with()
    return 1 - plain.graph.labels[split_of(plain.graph).test]


def test_a_method_gets_no_label_outside_training_and_validation() -> None:
    dataset = dataset_with()
    split = choose_split(dataset, "published", 0)
    shown = hide_test_labels(dataset.graph, split)
    assert set(np.flatnonzero(shown.labelled)) == {*split.train, *split.validation}


@pytest.mark.parametrize("key", ["forest", "mlp"])
def test_the_search_gives_the_same_whatever_the_test_labels(key: str, tmp_path: Path) -> None:
    chosen = []
    smaller: dict[str, Any] = {"space": {}}
    if key == "forest":
        smaller = {"space": {"leaf": (1, 2)}, "changes": {"trees": 5}}
    for number, labels in enumerate((None, turned_test_labels())):
        results = tmp_path / str(number)
        contender = dataclasses.replace(CONTENDERS[key], **smaller)
        freeze(contender, dataset_with(labels), results, quick=False)
        chosen.append(frozen_path(results, "communities", key).read_text())
    assert chosen[0] == chosen[1]


def test_test_labels_change_the_accuracy_and_nothing_else() -> None:
    settings = FOREST.published("communities")
    first = measure(FOREST, dataset_with(), "published", settings, 0)
    second = measure(FOREST, dataset_with(turned_test_labels()), "published", settings, 0)
    assert first.validation_accuracy == second.validation_accuracy
    assert first.accuracy == pytest.approx(1 - second.accuracy)


def test_validation_is_scored_without_test_nodes() -> None:
    settings = FOREST.published("communities")
    scores = [
        validate(FOREST, dataset, "published", settings, 0)
        for dataset in (dataset_with(), dataset_with(turned_test_labels()))
    ]
    assert scores[0] == scores[1]


def test_nothing_is_measured_before_it_is_frozen(tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable):
        read_frozen(FOREST, "communities", tmp_path)


def test_what_is_frozen_is_never_searched_again(tmp_path: Path) -> None:
    path = frozen_path(tmp_path, "communities", "forest")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"settings": {"trees": 3}}))
    freeze(FOREST, dataset_with(), tmp_path, quick=False)
    assert read_frozen(FOREST, "communities", tmp_path)[0] == {"trees": 3}


@pytest.mark.parametrize("key", ["gcn", "appnp", "gmnn", "lfgcn_whole", "lfgcn_plus", "forest"])
def test_every_searched_method_has_the_same_budget_on_a_grid(key: str) -> None:
    assert len(list_trials(CONTENDERS[key], "ieee118", quick=False)) == TRIALS


def test_the_second_round_of_a_search_decides(tmp_path: Path) -> None:
    contender = dataclasses.replace(
        FOREST, space={"leaf": (1, 2, 4)}, changes={"trees": 5, "depth": 2}
    )
    freeze(contender, dataset_with(), tmp_path, quick=False)
    stored = json.loads(frozen_path(tmp_path, "communities", "forest").read_text())
    first, second = (stage["validation"] for stage in stored["search"]["rounds"])
    assert len(first) == TRIALS
    assert len(second) == TRIALS // FINALIST_EVERY
    best = max(second, key=lambda entrant: second[entrant])
    assert stored["settings"] == stored["search"]["trials"][int(best)]


def test_a_larger_grid_has_a_smaller_budget_for_every_method() -> None:
    small, large = (Dataset("grid", "Grid", two_communities(size=n)) for n in (20, 150))
    assert trial_limit(large) < trial_limit(small) == TRIALS


def test_a_frozen_network_names_every_setting(tmp_path: Path) -> None:
    contender = dataclasses.replace(CONTENDERS["mlp"], space={})
    freeze(contender, dataset_with(), tmp_path, quick=True)
    settings, _ = read_frozen(contender, "communities", tmp_path)
    named = {field.name for field in dataclasses.fields(NetworkSettings)}
    assert settings.keys() == named - {"method", "seed"}


def test_rivals_keep_their_published_settings_on_citation_graphs() -> None:
    trials = list_trials(CONTENDERS["appnp"], "cora", quick=False)
    assert len(trials) == 1
    assert trials[0]["alpha"] == 0.9


def test_a_rival_published_with_other_settings_for_a_graph_keeps_those() -> None:
    plain = list_trials(CONTENDERS["gat"], "cora", quick=False)[0]
    own = list_trials(CONTENDERS["gat"], "pubmed", quick=False)[0]
    assert (plain["learning_rate"], own["learning_rate"]) == (0.005, 0.01)


def test_how_words_are_counted_is_chosen_for_every_trained_method_alike() -> None:
    published, other = list_trials(CONTENDERS["gcn"], "pubmed", quick=False)
    assert published["feature_scaling"] == "none"
    assert other == {**published, "feature_scaling": "presence"}
    assert len(list_trials(CONTENDERS["lp"], "pubmed", quick=False)) == 1
    searched = list_trials(CONTENDERS["lfgcn_whole"], "pubmed", quick=False)
    assert {trial["feature_scaling"] for trial in searched} == {"none", "presence"}


def test_a_rival_published_with_a_way_to_count_words_keeps_it() -> None:
    (own,) = list_trials(CONTENDERS["gmnn"], "pubmed", quick=False)
    assert own["feature_scaling"] == "presence"


def test_a_derived_row_takes_over_the_frozen_settings(tmp_path: Path) -> None:
    path = frozen_path(tmp_path, "communities", "lfgcn_whole")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"settings": {"gamma": 0.5, "drop_edge": "none"}}))
    row = Contender("x", "x", "lfgcn", based_on="lfgcn_whole", changes={"drop_edge": "uniform"})
    settings, _ = read_frozen(row, "communities", tmp_path)
    assert settings == {"gamma": 0.5, "drop_edge": "uniform"}


def test_peeking_takes_the_epoch_that_suits_the_test_nodes_best() -> None:
    dataset = dataset_with()
    split = choose_split(dataset, PEEKING, 0)
    assert dataset.published is not None
    assert split.validation.tolist() == dataset.published.test.tolist()
    settings: dict[str, Any] = {"epochs": 30, "width": 4, "device": "cpu", "drop_edge": "none"}
    graph = hide_test_labels(dataset.graph, split)
    by_loss = []
    for seed in range(4):
        peeked = measure(CONTENDERS["mlp"], dataset, PEEKING, {**settings, "stop_on": "loss"}, seed)
        history = fit(graph, split, make_config(method="mlp", seed=seed, **settings)).history
        highest = max(record.validation_accuracy for record in history)
        assert history[peeked.best_epoch - 1].validation_accuracy == highest
        by_loss.append(min(history, key=lambda record: record.validation_loss).validation_accuracy)
        by_loss[-1] -= highest
    assert min(by_loss) < 0, "on this data the loss finds the same epochs: nothing was shown"
