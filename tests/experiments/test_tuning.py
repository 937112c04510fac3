"""The search on validation nodes."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from experiments.datasets.dataset import Dataset
from experiments.methods import METHOD_ROWS, SearchSpaces
from experiments.tuned import find_tuned, read_tuned, store_tuned
from experiments.tuning import FINALIST_EVERY, TRIALS, list_trials, trial_limit, tune
from ml.config.levy import LfgcnPlusSettings
from tests.experiments.communities import dataset_with, turned_test_labels
from tests.ml.communities import two_communities

FOREST = METHOD_ROWS["forest"]


@pytest.mark.parametrize("key", ["forest", "mlp"])
def test_test_labels_do_not_change_the_result_of_a_search(key: str, tmp_path: Path) -> None:
    chosen = []
    smaller: dict[str, Any] = {"search": SearchSpaces()}
    if key == "forest":
        smaller = {"search": SearchSpaces({"leaf": (1, 2)}), "changes": {"trees": 5}}
    for number, labels in enumerate((None, turned_test_labels())):
        results = tmp_path / str(number)
        row = dataclasses.replace(METHOD_ROWS[key], **smaller)
        tune(row, dataset_with(labels), results, quick=False)
        chosen.append(find_tuned(results, "communities", key))
    assert chosen[0] == chosen[1]
    assert chosen[0] is not None


def test_a_tuned_method_is_never_searched_again(tmp_path: Path) -> None:
    stored = {"dataset": "communities", "method": "forest", "settings": {"trees": 3}}
    store_tuned(tmp_path, stored)
    tune(FOREST, dataset_with(), tmp_path, quick=False)
    assert read_tuned(FOREST, "communities", tmp_path)[0] == {"trees": 3}


@pytest.mark.parametrize("key", ["gcn", "appnp", "gmnn", "lfgcn_whole", "lfgcn_plus", "forest"])
def test_every_searched_method_has_the_same_budget_on_a_grid(key: str) -> None:
    assert len(list_trials(METHOD_ROWS[key], "ieee118", quick=False)) == TRIALS


def test_the_second_round_of_a_search_decides(tmp_path: Path) -> None:
    row = dataclasses.replace(
        FOREST, search=SearchSpaces({"leaf": (1, 2, 4)}), changes={"trees": 5, "depth": 2}
    )
    tune(row, dataset_with(), tmp_path, quick=False)
    stored = find_tuned(tmp_path, "communities", "forest")
    assert stored is not None
    first, second = (stage["validation"] for stage in stored["search"]["rounds"])
    assert len(first) == TRIALS
    assert len(second) == TRIALS // FINALIST_EVERY
    best = max(second, key=lambda entrant: second[entrant])
    assert stored["settings"] == stored["search"]["trials"][int(best)]


def test_a_larger_grid_has_a_smaller_budget_for_every_method() -> None:
    small, large = (Dataset("grid", "Grid", two_communities(size=n)) for n in (20, 150))
    assert trial_limit(large) < trial_limit(small) == TRIALS


def test_a_tuned_network_names_every_setting(tmp_path: Path) -> None:
    row = dataclasses.replace(METHOD_ROWS["mlp"], search=SearchSpaces())
    tune(row, dataset_with(), tmp_path, quick=True)
    settings, _ = read_tuned(row, "communities", tmp_path)
    named = LfgcnPlusSettings().as_dict().keys()
    assert settings.keys() == named - {"method", "seed"}


def test_rivals_keep_their_published_settings_on_citation_graphs() -> None:
    trials = list_trials(METHOD_ROWS["appnp"], "cora", quick=False)
    assert len(trials) == 1
    assert trials[0]["alpha"] == 0.9


def test_a_rival_keeps_the_settings_published_for_a_single_graph() -> None:
    plain = list_trials(METHOD_ROWS["gat"], "cora", quick=False)[0]
    own = list_trials(METHOD_ROWS["gat"], "pubmed", quick=False)[0]
    assert (plain["learning_rate"], own["learning_rate"]) == (0.005, 0.01)


def test_every_trained_method_chooses_between_word_counts_and_presence() -> None:
    published, other = list_trials(METHOD_ROWS["gcn"], "pubmed", quick=False)
    assert published["feature_scaling"] == "none"
    assert other == {**published, "feature_scaling": "presence"}
    assert len(list_trials(METHOD_ROWS["lp"], "pubmed", quick=False)) == 1
    searched = list_trials(METHOD_ROWS["lfgcn_whole"], "pubmed", quick=False)
    assert {trial["feature_scaling"] for trial in searched} == {"none", "presence"}


def test_a_rival_published_with_word_presence_keeps_it() -> None:
    (own,) = list_trials(METHOD_ROWS["gmnn"], "pubmed", quick=False)
    assert own["feature_scaling"] == "presence"
